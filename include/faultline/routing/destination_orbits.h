// SPDX-License-Identifier: Apache-2.0
// Destinations that automorphisms of a network map onto each other, and whether a relation follows them.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/base/stop.h"
#include "faultline/routing/relation.h"
#include "faultline/topology/automorphism.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The words generators[0]^e0 generators[1]^e1 … with 0 <= ei < orders[i], numbered with e0 fastest. They map
/// every terminal to as many different ones as there are words, so that an orbit of destinations and the
/// words correspond.
class DestinationOrbits {
 public:
  /// From the generators that the topology proposes; those that would map a destination to the same one
  /// twice are left out.
  explicit DestinationOrbits(const Topology& topology);

  [[nodiscard]] std::size_t words() const { return words_; }  ///< 1: no symmetry is known
  [[nodiscard]] const std::vector<Automorphism>& generators() const { return generators_; }
  [[nodiscard]] const std::vector<std::uint32_t>& orders() const { return orders_; }

  /// The first destination of each orbit, in ascending order.
  [[nodiscard]] std::vector<TerminalId> representatives(const Topology& topology) const;
  /// By word: the image of `representative`.
  [[nodiscard]] std::vector<TerminalId> members(TerminalId representative) const;

  /// The last step to `word`, not 0: generators[generator] maps the image under word `from` to it.
  struct Step {
    std::size_t from;
    std::size_t generator;
  };
  [[nodiscard]] Step step_to(std::size_t word) const;

 private:
  [[nodiscard]] bool is_regular(const Topology& topology) const;

  std::vector<Automorphism> generators_;
  std::vector<std::uint32_t> orders_;
  std::size_t words_ = 1;
};

/// Whether the answers of `relation` for every destination of the orbit are the images, under the words, of
/// its answers for `members[0]`. Compares them for every switch and destination. False also if the relation
/// cannot be compared this way (compares_by_output_bits). Throws Stopped.
[[nodiscard]] bool follows(const RoutingRelation& relation, const DestinationOrbits& orbits,
                           const std::vector<TerminalId>& members, std::uint32_t threads, StopFlag stop);

}  // namespace faultline
#pragma GCC visibility pop
