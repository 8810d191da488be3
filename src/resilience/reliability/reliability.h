// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/cuts/tolerance.h"
#include "resilience/evaluate/evaluator.h"
#include "resilience/reliability/failure_model.h"

namespace faultline::survival {

/// Throws Error for rates that do not fit the components, knowledge within a radius (a further fault may then
/// help), the exact method, or a routing whose sources plan.
void check_reliability(const ReliabilitySpec& spec, const FaultComponents& components, Knowledge knowledge,
                       Survival survival);

/// Null where none is given.
[[nodiscard]] const ComponentRate* rate_of(const ReliabilitySpec& spec, FaultUnit unit);

/// Absent if stopped.
[[nodiscard]] std::optional<Reliability> reliability(const Subject& subject, const Evaluator& evaluator,
                                                     const Tolerance& tolerance, const ReliabilitySpec& spec,
                                                     const StudyConditions& conditions);

constexpr std::uint32_t max_exhaustive_components = 24;

/// Mean hours until some pair is lost when nothing is repaired: histories are drawn, and the first fault
/// after which a pair is lost is found by bisection. Nothing if it is stopped.
[[nodiscard]] std::optional<Estimate> first_loss_by_histories(const Evaluator& evaluator,
                                                              const FailureModel& model,
                                                              std::uint64_t histories,
                                                              const StudyConditions& conditions);

/// The same exactly, from every set of failed components: from each, the mean time to the next failure, and
/// onward from the set that it leads to. Infinite if a pair may never be lost. O(n 2^n) time and 9 * 2^n
/// bytes for n components.
[[nodiscard]] std::optional<Estimate> first_loss_by_sets(const Evaluator& evaluator,
                                                         const FailureModel& model,
                                                         const StudyConditions& conditions);

}  // namespace faultline::survival
