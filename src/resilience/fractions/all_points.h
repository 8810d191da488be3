// SPDX-License-Identifier: Apache-2.0
// All numbers of faults that are asked for, one after the other.
#pragma once

#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {

/// Throws Error for what points.h refuses, and for a routing whose sources plan if the method does not
/// support it.
void check_fractions(const FractionsSpec& spec, const FaultComponents& components, Survival survival);

/// Evaluates `subject`; `asked` is the subject of the question (the two differ if heads search). `spec` is
/// checked. `progress` counts fault sets.
[[nodiscard]] Fractions all_points(const Subject& subject, const Subject& asked, const Evaluator& evaluator,
                                   const FractionsSpec& spec, const StudyConditions& conditions,
                                   const Progress& progress);

}  // namespace faultline::survival
