// SPDX-License-Identifier: Apache-2.0
#include "simulate/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace faultline {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Neighbours joined into `count` batches of equal size; what does not fill one at the front is left out.
std::vector<double> joined(std::span<const double> values, std::size_t count) {
  const std::size_t size = values.size() / count;
  std::vector<double> means;
  for (auto rest = values.last(count * size); !rest.empty(); rest = rest.subspan(size))
    means.push_back(mean_of(rest.first(size)));
  return means;
}

double squared_error(std::span<const double> values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [mean](double sum, double value) { return sum + (value - mean) * (value - mean); });
}

}  // namespace

std::size_t mser5_truncation(std::span<const double> batch_means) {
  if (batch_means.size() < 4) return 0;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t cut = 0; cut <= batch_means.size() / 2; ++cut) {
    const auto rest = batch_means.subspan(cut);
    const auto count = static_cast<double>(rest.size());
    const double statistic = squared_error(rest, mean_of(rest)) / (count * count);
    if (statistic < least) {
      least = statistic;
      best = cut;
    }
  }
  return best;
}

Interval batch_means_interval(std::span<const double> values) {
  constexpr std::size_t most_batches = 16;
  if (values.empty()) return t_interval(values);
  return t_interval(joined(values, std::min(values.size(), most_batches)));
}

Interval t_interval(std::span<const double> values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (values.size() < 2) return {-infinity, infinity};
  const auto count = static_cast<double>(values.size());
  const double mean = mean_of(values);
  const double deviation = std::sqrt(squared_error(values, mean) / (count - 1));
  const double quantile = boost::math::quantile(boost::math::students_t(count - 1), 0.975);
  const double half = quantile * deviation / std::sqrt(count);
  return {mean - half, mean + half};
}

}  // namespace faultline
