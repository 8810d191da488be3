// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {

struct FailingSearch {
  std::uint64_t seed = 1;
  std::uint64_t max_sets = 500'000;  ///< evaluated, in all
  StopFlag stop = nullptr;
};

/// Draws clustered sets, in growing numbers, until some fail; removes components from these while they still
/// fail; then tries the sets with one component fewer that differ from the smallest found in a few nearby
/// members, all of them if `max_sets` allows. A set that disconnects the network does not count as failing.
[[nodiscard]] SmallestFailing smallest_failing(const Evaluator& evaluator, const FaultComponents& components,
                                               const FailingSearch& search);

}  // namespace faultline::survival
