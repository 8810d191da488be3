// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {

struct FailingSearch {
  std::uint64_t seed = 1;
  std::uint64_t most_sets = 500'000;  ///< evaluated, in all
  StopFlag stop = nullptr;
};

/// Draws sets, clustered and more and more of them, until some fail; takes components away from them while
/// they still fail; then tries sets of one component less that differ from the smallest in a few members near
/// it, every one of them as far as `most_sets` go. A set that cuts the network apart does not count as
/// failing where the evaluator tells.
[[nodiscard]] SmallestFailing smallest_failing(const Evaluator& evaluator, const FaultComponents& components,
                                               const FailingSearch& search);

}  // namespace faultline::survival
