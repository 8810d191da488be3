// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "faultline/base/interval.h"

namespace faultline {

/// How many leading values belong to the warm-up: MSER-5 (White, Cobb & Spratt, "A comparison of five
/// steady-state truncation heuristics for simulation", WSC 2000). Each value is taken for the mean of a batch
/// of five observations, which the mean over a bin is of its five fifths. At most half of the values are cut;
/// 0 for fewer than four.
[[nodiscard]] std::size_t mser5_truncation(std::span<const double> batch_means);

/// The 95 % interval of the mean of independent values, with Student's t. [-infinity, infinity] for fewer
/// than two.
[[nodiscard]] Interval t_interval(std::span<const double> values);

/// Batch means: the 95 % interval of the mean of a stationary series, with Student's t over at most 16
/// batches of neighbouring values. [-infinity, infinity] for fewer than two values, because nothing is known
/// then.
[[nodiscard]] Interval batch_means_interval(std::span<const double> values);

}  // namespace faultline
