// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "resilience/reliability/loss_sums.h"
#include "resilience/reliability/rare_sets.h"

namespace faultline::survival {

/// What the sets are evaluated with. Sums do not depend on threads.
struct SetEvaluation {
  const Evaluator& evaluator;
  const FailureModel& model;
  std::uint64_t pairs;
  const StudyConditions& conditions;
};

// Each is absent if stopped.

/// Over all sets, with their probabilities for weights.
[[nodiscard]] std::optional<LossSums> sums_over_every_set(const SetEvaluation& how);
/// Over sets drawn from the model, with weights of 1.
[[nodiscard]] std::optional<LossSums> sums_over_drawn_sets(const SetEvaluation& how, std::uint64_t samples);
[[nodiscard]] std::optional<LossSums> sums_over_rare_sets(const SetEvaluation& how, const RareSets& sets,
                                                          std::uint64_t samples);

/// Whether a pair is disconnected without any fault.
[[nodiscard]] bool loses_a_pair_without_faults(const SetEvaluation& how);

}  // namespace faultline::survival
