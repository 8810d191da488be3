// SPDX-License-Identifier: Apache-2.0
// How many pairs survive a number of faults: exhaustively or by sampling.
#pragma once

#include "faultline/resilience/resilience.h"
#include "resilience/evaluator.h"

namespace faultline::survival {

struct MeasuredPoint {
  FaultPoint point;
  double cpu_seconds = 0;
};

/// Throws Error for more faults than components, no samples, or exhaustively many more than anybody would
/// wait for.
void check_points(const ResilienceSpec& spec, const FaultComponents& components);

[[nodiscard]] MeasuredPoint measure(const Evaluator& evaluator, const FaultComponents& components,
                                    std::uint32_t faults, const ResilienceSpec& spec,
                                    const Progress& progress);

/// Pairs lost when a component fails alone, by component.
[[nodiscard]] std::vector<std::uint64_t> lost_to_single_faults(const Evaluator& evaluator,
                                                               const FaultComponents& components);

}  // namespace faultline::survival
