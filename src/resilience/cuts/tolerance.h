// SPDX-License-Identifier: Apache-2.0
// How many faults of any kind a network tolerates, by minimum cuts over all pairs of terminals.
#pragma once

#include "faultline/resilience/resilience.h"
#include "resilience/circuit/components_of_channel.h"
#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {

struct Tolerance {
  std::uint32_t faults = 0;  ///< the largest N of which any N faults leave every pair connected
  bool exact = true;         ///< otherwise a lower bound
  std::vector<Component> witness;
  TerminalId source, destination;  ///< the pair that the witness disconnects; invalid where there is none
  std::vector<double>
      cut_share;  ///< by component: share of the pairs of fewest cuts whose (first) cut has it
};

/// Smallest cuts over all pairs: for switches that know all.
[[nodiscard]] Tolerance tolerance_by_cuts(const Subject& subject, const Progress& progress = {});

/// Tries all sets of 1, 2, … components while they are at most `most_sets`: whatever switches know.
[[nodiscard]] Tolerance tolerance_by_enumeration(const Evaluator& evaluator,
                                                 const FaultComponents& components, std::uint64_t most_sets);

/// For a routing whose sources plan: tries all sets of 1, 2, … components, alike ones once, while they are
/// not too many. Sets that cut the network apart do not count.
[[nodiscard]] Tolerance tolerance_of_plans(const Subject& subject, const Evaluator& evaluator);

}  // namespace faultline::survival
