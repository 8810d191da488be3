// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"

#pragma GCC visibility push(default)
namespace faultline {

/// A network without its dead channels: what reaches what, whatever the routing. Terminals pass nothing on.
/// Refers to both as long as it lives.
class LivingNetwork {
 public:
  /// Throws Error for a `dead` of another network.
  LivingNetwork(const Topology& topology, const FaultSet& dead) : topology_(topology), dead_(dead) {
    dead.require_of(topology, "dead");
  }

  /// By terminal: whether `start` reaches it. Throws Error for a terminal that the network does not have, as
  /// does reaching().
  [[nodiscard]] std::vector<bool> reached_from(TerminalId start) const;
  /// Whether it reaches `end`.
  [[nodiscard]] std::vector<bool> reaching(TerminalId end) const;

  /// The first terminal of each class, in ascending order. Terminals of a class inject into, and are ejected
  /// to from, the same strongly connected components, so that they reach, and are reached by, the same
  /// others. O(channels).
  [[nodiscard]] std::vector<TerminalId> representatives() const { return classes().first; }

  /// Ordered pairs of terminals, of which the first does not reach the second. O(representatives * channels).
  [[nodiscard]] std::uint64_t separate_pairs() const;

  /// Every terminal reaches every other; true if there is no other. O(channels) where all of them reach each
  /// other by one switch, or some terminal has lost all its injection or ejection channels; else
  /// O(representatives * channels).
  [[nodiscard]] bool connects_all() const;

 private:
  enum class Direction : std::uint8_t { forwards, backwards };
  struct Classes {
    std::vector<TerminalId> first;      ///< of each class
    std::vector<std::uint32_t> number;  ///< by terminal: of its class
  };

  [[nodiscard]] Classes classes() const;

  /// The terminals that are found from these switches.
  [[nodiscard]] std::vector<bool> search(std::vector<SwitchId> from, Direction direction) const;
  /// By switch: the number of its strongly connected component.
  [[nodiscard]] std::vector<std::uint32_t> components() const;
  /// Switches at the other ends of those of a terminal's channels that are alive.
  [[nodiscard]] std::vector<SwitchId> switches_of(TerminalId terminal, Direction direction) const;

  const Topology& topology_;
  const FaultSet& dead_;
};

}  // namespace faultline
#pragma GCC visibility pop
