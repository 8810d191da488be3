// SPDX-License-Identifier: Apache-2.0
// How many faults of any type a network tolerates, by minimum cuts over all pairs of terminals.
#pragma once

#include "faultline/resilience/resilience.h"
#include "resilience/circuit/components_of_channel.h"
#include "resilience/cuts/minimum_cut.h"
#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {

struct Tolerance {
  std::uint32_t faults = 0;   ///< the largest N such that any N faults leave every pair connected
  bool exact = true;          ///< otherwise a lower bound
  bool can_lose = false;      ///< a set of components, possibly the empty one, disconnects a pair
  bool if_connected = false;  ///< sets that disconnect the network do not count
  std::vector<Component> witness;
  TerminalId source, destination;  ///< the pair that the witness disconnects; invalid if there is none
  /// By component: share of the pairs that the fewest faults disconnect for which it is one of such faults;
  /// empty if pairs were not cut one by one, or if a search gave up that would have told it.
  std::vector<double> cut_share;
};

/// Smallest cuts over all pairs: for switches that know all faults. For each kind of pair at most
/// `search_steps` sets are examined (minimum_cut.h).
[[nodiscard]] Tolerance tolerance_by_cuts(const Subject& subject, const Progress& progress = {},
                                          std::uint64_t search_steps = max_search_steps);

/// Tries all sets of 1, 2, … components while there are at most `max_sets`: for any knowledge of the
/// switches.
[[nodiscard]] Tolerance tolerance_by_enumeration(const Evaluator& evaluator,
                                                 const FaultComponents& components, std::uint64_t max_sets);

/// For a routing whose sources plan: tries all sets of 1, 2, … components, equivalent ones once, while there
/// are not too many. Sets that disconnect the network do not count.
[[nodiscard]] Tolerance tolerance_of_plans(const Subject& subject, const Evaluator& evaluator);

}  // namespace faultline::survival
