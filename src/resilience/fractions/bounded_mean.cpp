// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/bounded_mean.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/quantiles.h"

namespace faultline::survival {
namespace {

constexpr double max_share = 0.9;  // of the stake that may be lost in one bet

/// The bet on each value that is needed to gain a factor of e^goal: a function of the values before it.
std::vector<double> bets(std::span<const double> values, double goal) {
  const auto count = static_cast<double>(values.size());
  std::vector<double> result;
  result.reserve(values.size());
  double sum = 0.5, squares = 0.25,
         seen = 1;  // prior: as if one half had been seen, with the largest variance
  for (const double value : values) {
    result.push_back(std::sqrt(2 * goal * seen / (count * squares)));
    sum += value;
    ++seen;
    const double off = value - sum / seen;
    squares += off * off;
  }
  return result;
}

struct Game {
  std::span<const double> values, bets;
  double goal;
  bool mirrored;  ///< 1 - value instead of each value
};

/// Whether the stake grows by e^goal where the mean is `mean` and values are bet to be above it.
bool excludes(const Game& game, double mean) {
  double logarithm = 0, stake = 1;
  const double cap = max_share / mean;
  for (std::size_t i = 0; i < game.values.size(); ++i) {
    const double value = game.mirrored ? 1 - game.values[i] : game.values[i];
    stake *= 1 + std::min(game.bets[i], cap) * (value - mean);
    if (stake > 1e-100 && stake < 1e100) continue;
    logarithm += std::log(stake);
    stake = 1;
  }
  return logarithm + std::log(stake) >= game.goal;
}

/// The largest mean that is excluded; the stake falls where the mean rises.
double lower_end(const Game& game) {
  double excluded = 0, allowed = 1;
  for (int step = 0; step < 50; ++step) {
    const double middle = (excluded + allowed) / 2;
    (excludes(game, middle) ? excluded : allowed) = middle;
  }
  return excluded;
}

}  // namespace

Interval bounded_mean_interval(std::span<const double> values, double tail) {
  if (values.empty()) return {0, 1};
  const double goal = -std::log(tail);
  const std::vector<double> above = bets(values, goal);
  return {lower_end({values, above, goal, false}), 1 - lower_end({values, above, goal, true})};
}

Interval bounded_mean_interval(double sum, double squares, double count, Interval range, double tail) {
  if (count < 2) return range;
  const double mean = sum / count, goal = std::log(2 / tail);
  const double variance = std::max(0.0, squares - sum * mean) / (count - 1);
  const double off =
      std::sqrt(2 * variance * goal / count) + 7 * goal * (range.high - range.low) / (3 * (count - 1));
  return {std::max(range.low, mean - off), std::min(range.high, mean + off)};
}

Interval mean_interval_with_one_unseen(double sum, double squares, double count) {
  const auto with = [&](double unseen) {
    const double total = sum + unseen, mean = total / (count + 1);
    return student_interval(mean, std::max(0.0, squares + unseen * unseen - total * mean), count + 1);
  };
  return {std::max(0.0, with(0).low), std::min(1.0, with(1).high)};
}

}  // namespace faultline::survival
