// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "faultline/base/interval.h"

#pragma GCC visibility push(default)
namespace faultline {

/// How many leading values belong to the warm-up: MSER-5 (White, Cobb & Spratt, "A comparison of five
/// steady-state truncation heuristics for simulation", WSC 2000). Each value counts as the mean of a batch of
/// five observations, just as the mean over a bin is that of its five fifths. At most half of the values are
/// cut; 0 for fewer than four.
[[nodiscard]] std::size_t mser5_truncation(std::span<const double> batch_means);

/// The mean of a stationary sequence whose neighbours are correlated.
struct SteadyMean {
  double mean = 0;        ///< of all: sum of the sums over sum of the counts; 0 without counts
  Interval interval;      ///< 95 %, of the mean
  std::size_t batch = 1;  ///< bins per batch, as many as needed for uncorrelated batch means
  /// Batches are uncorrelated, and at least 16 have observations. Otherwise the sequence is too short (or not
  /// stationary), and the interval may be too narrow.
  bool settled = false;
};

/// From the sums and counts of consecutive bins of equal length, by batch means as in N-Skart (Tafazzoli,
/// Steiger and Wilson, "N-Skart: a nonsequential skewness- and autoregression-adjusted batch-means procedure
/// for simulation analysis", IEEE Transactions on Automatic Control 56 (2011)): batches grow by √2 until the
/// von Neumann ratio does not show them to be correlated (at the level 0.2); what correlation is left widens
/// the interval (narrows it where it is negative) and takes degrees of freedom from Student's t, and skewness
/// shifts it. Unlike there a batch counts by how many observations it has, and is not smaller than a bin;
/// batches without any give no degree of freedom, and with fewer than two others nothing is known:
/// [-infinity, infinity].
[[nodiscard]] SteadyMean steady_mean(std::span<const double> sums, std::span<const double> counts);

/// Of a mean that cannot be negative, such as a latency.
[[nodiscard]] inline Interval at_least_zero(Interval interval) {
  return {std::max(0.0, interval.low), interval.high};
}

/// The 95 % interval of the mean of independent values, with Student's t. [-infinity, infinity] for fewer
/// than two.
[[nodiscard]] Interval t_interval(std::span<const double> values);

/// Batch means: the 95 % interval of the mean of a stationary series, with Student's t over at most 16
/// batches of neighbouring values. [-infinity, infinity] for fewer than two values, because then nothing is
/// known.
[[nodiscard]] Interval batch_means_interval(std::span<const double> values);

}  // namespace faultline
#pragma GCC visibility pop
