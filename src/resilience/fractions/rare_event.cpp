// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/rare_event.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "base/arena.h"
#include "resilience/fractions/bounded_mean.h"

namespace faultline::survival {
namespace {

/// The fraction of the sets of `faults` of n components that contain k given ones.
double containing(std::uint32_t k, std::uint32_t n, std::uint32_t faults) {
  double share = 1;
  for (std::uint32_t i = 0; i < std::min(k, faults); ++i)
    share *= static_cast<double>(faults - i) / static_cast<double>(n - i);
  return share;
}

class Estimator {
 public:
  Estimator(const Coverage& coverage, const DerivationChoices& choices, std::uint32_t faults)
      : components_(coverage.components()),
        faults_(faults),
        draws_(coverage, choices),
        failed_(components_) {}

  /// As a part of the sum of all weights: 0 … 1.
  double sample(RandomStream random) {
    const auto probability = [&](const auto& set) {
      const auto distinct = static_cast<std::uint32_t>(set.size());
      return distinct > faults_ ? 0.0 : containing(distinct, components_, faults_);
    };
    return draws_(random, set_, probability, [&](auto& set) { fill_up(set, random); });
  }

 private:
  void fill_up(std::vector<std::uint32_t>& set, RandomStream& random) {
    for (const std::uint32_t component : set) failed_[component] = true;
    while (set.size() < faults_) {
      const std::uint32_t component = random.next_below(components_);
      if (failed_[component]) continue;
      failed_[component] = true;
      set.push_back(component);
    }
    for (const std::uint32_t component : set) failed_[component] = false;
  }

  std::uint32_t components_, faults_;
  Coverage::Draws draws_;
  std::vector<bool> failed_;
  std::vector<std::uint32_t> set_;
};

/// Means of neighbouring values, so that their number is bounded.
std::vector<double> grouped(const std::vector<double>& sums, std::uint64_t samples, std::uint64_t a_group) {
  std::vector<double> means;
  means.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    means.push_back(sums[i] / static_cast<double>(std::min(a_group, samples - i * a_group)));
  return means;
}

}  // namespace

std::optional<RareEstimate> RareEvents::estimate(std::uint32_t faults, std::uint64_t samples,
                                                 std::uint64_t seed, std::uint32_t threads,
                                                 StopFlag stop) const {
  const DerivationChoices choices = coverage_.choices([&](std::uint32_t fewest) {
    return fewest > faults ? 0.0 : containing(fewest, coverage_.components(), faults);
  });
  const bool all_seen = coverage_.knows_all(faults);
  if (choices.total() == 0) return RareEstimate{0, {0, all_seen ? 0.0 : 1.0}, 0};
  constexpr std::uint64_t max_values = std::uint64_t{1} << 20;
  const std::uint64_t a_group = (samples + max_values - 1) / max_values;
  std::vector<double> sums((samples + a_group - 1) / a_group);
  tbb::task_arena arena(arena_threads(threads));
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, sums.size(), 4096), [&](const auto& range) {
      Estimator estimator(coverage_, choices, faults);
      for (std::size_t group = range.begin(); group != range.end() && !is_set(stop); ++group)
        for (std::uint64_t i = group * a_group; i < std::min(samples, (group + 1) * a_group); ++i)
          sums[group] += estimator.sample(RandomStream(seed, (std::uint64_t{faults} << 40) | i));
    });
  });
  if (is_set(stop)) return std::nullopt;
  const std::vector<double> values = grouped(sums, samples, a_group);
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean) / count;
  const double error = std::sqrt(squares / std::max(1.0, count - 1));
  const Interval interval = bounded_mean_interval(values, tail);
  constexpr double rounding = 1e-12;  // all that remains if every sample has the same value
  const double high = interval.high * choices.total() * (1 + rounding);
  return RareEstimate{
      std::min(1.0, mean * choices.total()),
      {std::min(1.0, interval.low * choices.total() * (1 - rounding)), all_seen ? std::min(1.0, high) : 1.0},
      mean > 0 ? error / mean : 0};
}

}  // namespace faultline::survival
