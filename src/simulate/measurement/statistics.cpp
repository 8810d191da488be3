// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/mean.h"
#include "base/quantiles.h"

namespace faultline {
namespace {

/// Neighbours merged into `count` batches of equal size; the first values are left out, fewer than `count` of
/// them.
std::vector<double> joined(std::span<const double> values, std::size_t count) {
  const std::size_t size = values.size() / count;
  std::vector<double> means;
  for (auto rest = values.last(count * size); !rest.empty(); rest = rest.subspan(size))
    means.push_back(mean_of(rest.first(size)));
  return means;
}

/// What batches of `size` bins exceed the mean by; the last bin ends the last batch.
std::vector<double> residuals(std::span<const double> sums, std::span<const double> counts, double mean,
                              std::size_t size) {
  std::vector<double> values;
  for (std::size_t i = sums.size() % size; i < sums.size(); i += size) {
    double value = 0;
    for (std::size_t bin = i; bin < i + size; ++bin) value += sums[bin] - mean * counts[bin];
    values.push_back(value);
  }
  return values;
}

struct Moments {
  double variance = 0, skewness = 0;
  double correlation = 0;  ///< of neighbours
  double von_neumann = 0;  ///< how many standard deviations its ratio is from that of independent values
};

Moments moments(const std::vector<double>& values) {
  const double mean = mean_of(values);
  const auto count = static_cast<double>(values.size());
  double squares = 0, cubes = 0, neighbours = 0, steps = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - mean;
    squares += off * off;
    cubes += off * off * off;
    if (i == 0) continue;
    neighbours += off * (values[i - 1] - mean);
    steps += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
  }
  if (squares <= 0) return {};
  return {.variance = squares / (count - 1),
          .skewness =
              cubes / count / std::pow(squares / count, 1.5) * std::sqrt(count * (count - 1)) / (count - 2),
          .correlation = neighbours / squares,
          .von_neumann = (1 - steps / (2 * squares)) * std::sqrt((count * count - 1) / (count - 2))};
}

/// A quantile for means of values that are skewed (Willink, 2005); `bias`: skewness over six roots of the
/// count.
double skewed(double quantile, double bias) {
  if (std::abs(bias) < 0.001) return quantile;
  return (std::cbrt(1 + 6 * bias * (quantile - bias)) - 1) / (2 * bias);
}

/// How many batches of `size` bins have observations.
std::size_t observed(std::span<const double> counts, std::size_t size) {
  std::size_t found = 0;
  for (std::size_t i = counts.size() % size; i < counts.size(); i += size)
    found += std::ranges::any_of(counts.subspan(i, size), [](double count) { return count > 0; }) ? 1 : 0;
  return found;
}

/// Of the mean of batches with these moments, each of which has `weight` observations. `observed` of them
/// have any: the others say nothing about the variance.
Interval adjusted_interval(double mean, const Moments& found, double count, double observed, double weight,
                           bool correlated) {
  // Half a standard error is added because the batches were chosen for looking uncorrelated; a whole one if
  // they still look correlated, because then distant batches are correlated as well.
  const double margin = (correlated ? 1.0 : 0.5) / std::sqrt(count);
  const double unbiased = found.correlation + (1 + 3 * found.correlation) / count + margin;
  const double correlation = std::clamp(unbiased, -0.5, 0.9);
  const double inflation = (1 + correlation) / (1 - correlation);
  const double variance =
      observed == count ? found.variance : found.variance * (count - 1) / count * observed / (observed - 1);
  const double error = std::sqrt(variance * inflation / count) / weight;
  // Correlated batches say as much about their variance as fewer independent ones.
  const double freedom = std::max(1.0, observed / std::max(1.0, inflation) - 1);
  const double quantile = student_quantile(freedom, 0.025);
  const double bias = found.skewness / (6 * std::sqrt(count));
  return {mean - std::max(0.0, skewed(quantile, bias)) * error,
          mean - std::min(0.0, skewed(-quantile, bias)) * error};
}

}  // namespace

SteadyMean steady_mean(std::span<const double> sums, std::span<const double> counts) {
  constexpr std::size_t enough = 16;  // batches
  const std::size_t fewest = std::clamp<std::size_t>(sums.size(), 3, 10);
  constexpr double certain = 0.8416;  // one-sided, level 0.2
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double observations = std::accumulate(counts.begin(), counts.end(), 0.0);
  SteadyMean result{
      .mean = 0, .interval = {-infinity, infinity}, .batch = std::max<std::size_t>(1, sums.size())};
  if (observations <= 0) return result;
  result.mean = std::accumulate(sums.begin(), sums.end(), 0.0) / observations;
  for (std::size_t size = 1; sums.size() / size >= fewest;
       size = static_cast<std::size_t>(std::ceil(static_cast<double>(size) * std::numbers::sqrt2))) {
    const std::vector<double> batches = residuals(sums, counts, result.mean, size);
    const Moments found = moments(batches);
    const auto count = static_cast<double>(batches.size());
    result.batch = size;
    const bool correlated = found.von_neumann >= certain;
    const double weight = observations * static_cast<double>(size) / static_cast<double>(sums.size());
    const std::size_t seen = observed(counts, size);
    if (seen >= 2)
      result.interval =
          adjusted_interval(result.mean, found, count, static_cast<double>(seen), weight, correlated);
    else
      result.interval = {-infinity, infinity};
    if (correlated) continue;
    result.settled = seen >= enough;
    break;
  }
  return result;
}

std::size_t mser5_truncation(std::span<const double> batch_means) {
  if (batch_means.size() < 4) return 0;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0, count = 0;  // of what a cut leaves (Welford): exact where all are equal
  for (std::size_t cut = batch_means.size(); cut-- > 0;) {
    const double off = batch_means[cut] - mean;
    mean += off / ++count;
    squares += off * (batch_means[cut] - mean);
    const double statistic = squares / (count * count);
    if (cut <= batch_means.size() / 2 && statistic <= least) {
      least = statistic;
      best = cut;
    }
  }
  return best;
}

Interval batch_means_interval(std::span<const double> values) {
  constexpr std::size_t max_batches = 16;
  if (values.empty()) return t_interval(values);
  return t_interval(joined(values, std::min(values.size(), max_batches)));
}

Interval t_interval(std::span<const double> values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (values.size() < 2) return {-infinity, infinity};
  const double mean = mean_of(values);
  return student_interval(mean, squared_error(values, mean), static_cast<double>(values.size()));
}

}  // namespace faultline
