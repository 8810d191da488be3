// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "faultline/base/interval.h"

namespace faultline::survival {

/// An interval of the mean of independent, equally distributed values in 0 … 1, missed on either side with a
/// probability of at most `tail` for any number of values, however skewed they are: the hedged bets of
/// Waudby-Smith and Ramdas ("Estimating means of bounded random variables by betting", J. Royal Statistical
/// Society B 86 (2024), section 4), at a fixed number of values. A gambler bets on or against each value
/// before seeing it, as much as the spread of those before it suggests; a mean for which the stake would have
/// grown by a factor of 1 / tail is excluded, which by Markov's inequality happens to the true one with a
/// probability of at most tail. Values that are all 0 give the exact one-sided bound but for a tenth: the
/// upper end m has (1 + 0.9 m / (1 - m))^n = 1 / tail, where the exact one has (1 / (1 - m))^n.
[[nodiscard]] Interval bounded_mean_interval(std::span<const double> values, double tail);

/// The same for values within `range` of which only the sum, the sum of their squares and the count are
/// known: Maurer and Pontil's empirical Bernstein bound ("Empirical Bernstein bounds and sample variance
/// penalization", COLT 2009, theorem 4). Wider where values are few.
[[nodiscard]] Interval bounded_mean_interval(double sum, double squares, double count, Interval range,
                                             double tail);

/// A 95 % interval of the mean of any number of such values, from their sums alone: Student's, of the values
/// and one more that was not drawn, 1 for the upper end and 0 for the lower. What n draws have not shown may
/// still have a probability of up to about 3 / n, and values that are all alike show no variance: the one
/// more allows for both. Narrower than the bounds above, which hold for any distribution; measured to cover
/// also for few values that are skewed.
[[nodiscard]] Interval mean_interval_with_one_unseen(double sum, double squares, double count);

}  // namespace faultline::survival
