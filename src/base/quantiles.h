// SPDX-License-Identifier: Apache-2.0
// Quantiles of distributions. Boost.Math takes seconds to compile: only quantiles.cpp includes it.
#pragma once

#include <cstdint>

#include "faultline/base/interval.h"

namespace faultline {

/// Clopper–Pearson interval of a probability of which `hits` of `trials` were seen: missed on either side
/// with a probability of at most `tail`.
[[nodiscard]] Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double tail = 0.025);

/// 95 % interval of a mean by Student's t-distribution: of `count` samples, at least two, with this mean and
/// sum of squared deviations from it.
[[nodiscard]] Interval student_interval(double mean, double squared_error, double count);

/// What a variable with Student's t-distribution exceeds with probability `tail`. `degrees_of_freedom` is
/// above 0 and need not be an integer.
[[nodiscard]] double student_quantile(double degrees_of_freedom, double tail);

}  // namespace faultline
