// SPDX-License-Identifier: Apache-2.0
// The certificate as read from the file; see FORMAT.md.
#pragma once

#include <array>
#include <optional>

#include "game.h"
#include "orbits.h"

namespace checker {

/// What the certificate states before the relation, and the proof that follows it.
struct Certificate {
  std::string topology, routing;  ///< labels
  std::string switching, selection, stuck, time;
  Circumstances given;
  std::vector<Number> dead;
  std::string verdict;
  std::array<Number, 5> pairs{};  ///< served, likely, livelock, stalled, refused
  Number unreachable_pairs = 0;
  std::optional<Number> max_hops;
  Number states = 0, moves = 0, dependencies = 0;
  bool by_classes = false;  ///< the relation is stated for one destination of each class

  Relation relation;
  std::size_t relation_line = 0;
  std::vector<Number> stated;       ///< the destinations for which the relation is stated, in rising order
  std::vector<Lines> destinations;  ///< where each of them begins
  Orbits orbits;                    ///< maps the relation to the other destinations

  std::vector<std::string> classes;  ///< by destination stated, a letter for each source
  /// By (destination, source): the living injection channels that the source does not offer.
  std::map<std::pair<Number, Number>, std::vector<Number>> unused;
  static constexpr Number unranked = ~Number{0};
  std::vector<Number> ranks;  ///< by buffer

  struct Packet {
    Number source, destination;
  };
  struct Step {
    std::size_t line;
    Number packet, channel, vc, tag;
  };
  std::vector<Packet> packets;
  std::vector<Step> steps;

  [[nodiscard]] bool refutes() const { return verdict == "deadlock"; }
};

/// Everything but the destinations, which are read one at a time. Throws Refused.
[[nodiscard]] Certificate read_certificate(std::string_view text);

/// Checks everything that FORMAT.md lists and returns one sentence that states what was found true. Throws
/// Refused.
[[nodiscard]] std::string check(std::string_view text);
[[nodiscard]] std::string check(const Certificate& certificate);

}  // namespace checker
