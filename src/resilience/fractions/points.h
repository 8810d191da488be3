// SPDX-License-Identifier: Apache-2.0
// How many pairs survive a number of faults: exhaustively or by sampling.
#pragma once

#include <functional>

#include "faultline/resilience/resilience.h"
#include "resilience/connections/connections.h"

namespace faultline::survival {

struct MeasuredPoint {
  FaultPoint point;
  bool complete = false;  ///< otherwise stopped, perhaps before the first set
  double seconds = 0;     ///< of processors; of a GPU, by the clock
};

/// Throws Error for more faults than components, no samples or budget, an invalid width, or exhaustive
/// evaluation of too many sets.
void check_points(const FractionsSpec& spec, const FaultComponents& components);

/// Also counts lost terminals if `lost_terminals` says how. Calls `evaluated`, from any thread, with the
/// number of sets of each finished block.
[[nodiscard]] MeasuredPoint measure(const Evaluator& evaluator, const FaultComponents& components,
                                    std::uint32_t faults, const FractionsSpec& spec,
                                    const StudyConditions& conditions,
                                    const std::function<void(std::uint64_t)>& evaluated,
                                    std::shared_ptr<const CompiledConnections> lost_terminals = nullptr);

/// Pairs that are disconnected although nothing has failed.
[[nodiscard]] std::uint64_t lost_without_faults(const Evaluator& evaluator,
                                                const FaultComponents& components);

/// Pairs lost when a component fails alone, by component.
[[nodiscard]] std::vector<std::uint64_t> lost_to_single_faults(const Evaluator& evaluator,
                                                               const FaultComponents& components);

}  // namespace faultline::survival
