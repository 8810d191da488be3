// SPDX-License-Identifier: Apache-2.0
// What switches that know of dead channels beyond their own outputs rule out, for the packets of one
// destination.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "faultline/routing/admissible.h"
#include "faultline/routing/states.h"

namespace faultline {

using StateKeys = std::unordered_set<StateKey, StateKeyHash>;

struct RuledOut {
  /// For a state of a cycle (states that lead back to each other): which cycle, and how many channels it is
  /// from the terminal.
  struct Rank {
    std::uint32_t round = 0;
    std::uint32_t distance = 0;
  };
  StateKeys entered;  ///< states that no packet is sent into
  std::unordered_map<StateKey, Rank, StateKeyHash> rounds;

  /// Whether moving from one state to another stays in a cycle without coming nearer.
  [[nodiscard]] bool leads_back(const StateKey& from, const StateKey& to) const {
    const auto here = rounds.find(from);
    const auto there = rounds.find(to);
    return here != rounds.end() && there != rounds.end() && here->second.round == there->second.round &&
           there->second.distance >= here->second.distance;
  }
};

/// For switches that know all, or within a radius above 1: smaller radii need nothing beyond their outputs.
/// O(radius * moves).
[[nodiscard]] RuledOut ruled_out(const RoutingRelation& relation, TerminalId destination,
                                 const FaultSet& dead, Knowledge knowledge);

/// The states that packets may enter by injection and from which some play of `relation` does not arrive.
[[nodiscard]] StateKeys losing_starts(const RoutingRelation& relation, TerminalId destination,
                                      const FaultSet& dead);

}  // namespace faultline
