// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/recovery.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulate/statistics.h"

namespace faultline {
namespace {

using Bins = std::span<const ThroughputBin>;

constexpr std::size_t fewest_bins = 4;
constexpr double deviations = 4, part_of_before = 0.01;

std::vector<double> values(Bins bins) {
  std::vector<double> all;
  all.reserve(bins.size());
  for (const ThroughputBin& bin : bins) all.push_back(bin.accepted);
  return all;
}

struct Level {
  double mean = 0, deviation = 0;  ///< the latter of one bin
  double count = 0;
};

Level level_of(std::span<const double> all) {
  if (all.empty()) return {};
  const auto count = static_cast<double>(all.size());
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / count;
  double squares = 0;
  for (const double value : all) squares += (value - mean) * (value - mean);
  return {mean, all.size() > 1 ? std::sqrt(squares / (count - 1)) : 0, count};
}

/// Bins that lie between two cycles as a whole.
Bins between(Bins bins, std::uint64_t from, std::uint64_t until) {
  const auto first = std::ranges::lower_bound(bins, from, {}, &ThroughputBin::from);
  const auto last = std::ranges::upper_bound(first, bins.end(), until, {}, &ThroughputBin::until);
  return {first, last};
}

/// Those from the one that ends after `from`.
Bins from_cycle(Bins bins, std::uint64_t from, std::uint64_t until) {
  const auto first = std::ranges::upper_bound(bins, from, {}, &ThroughputBin::until);
  const auto last = std::ranges::upper_bound(first, bins.end(), until, {}, &ThroughputBin::until);
  return {first, last};
}

bool is_below(double value, const Level& before, double deviation) {
  return value < before.mean - std::max(deviations * deviation, part_of_before * before.mean);
}

std::optional<std::uint64_t> back_after(Bins after, const Level& settled, const Level& before,
                                        std::uint64_t at) {
  const auto variance = [](const Level& level) { return level.deviation * level.deviation / level.count; };
  if (is_below(settled.mean, before, std::sqrt(variance(settled) + variance(before)))) return std::nullopt;
  std::uint64_t back = at;
  for (const ThroughputBin& bin : after)
    if (is_below(bin.accepted, before, before.deviation)) back = bin.until;
  if (back == after.back().until) return std::nullopt;
  return back - at;
}

/// `since`: the failure before, or the beginning.
Recovery recovery(Bins bins, std::uint64_t since, std::uint64_t at, std::uint64_t until) {
  Recovery found{.at = at};
  std::vector<double> steady = values(between(bins, since, at));
  steady.erase(steady.begin(), steady.begin() + static_cast<std::ptrdiff_t>(mser5_truncation(steady)));
  const Level before = level_of(steady);
  const Bins after = from_cycle(bins, at, until);
  const Level settled = level_of(values(after.subspan(after.size() / 2)));
  found.lowest = std::ranges::min(values(after));
  found.after = settled.mean;
  if (steady.size() < fewest_bins || before.mean == 0) return found;
  found.before = before.mean;
  found.back_after = back_after(after, settled, before, at);
  return found;
}

std::size_t channels_down(const FaultSchedule& outages, std::uint64_t cycle) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outages, [&](const Outage& outage) { return outage.from <= cycle && cycle < outage.until; }));
}

}  // namespace

std::vector<Recovery> recoveries(std::span<const ThroughputBin> throughput, const FaultSchedule& outages) {
  std::vector<Recovery> found;
  if (throughput.empty()) return found;
  const std::uint64_t end = throughput.back().until;
  std::vector<std::uint64_t> failures;
  for (const Outage& outage : outages) failures.push_back(outage.from);
  std::ranges::sort(failures);
  failures.erase(std::unique(failures.begin(), failures.end()), failures.end());
  std::uint64_t since = 0;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const std::uint64_t next = i + 1 < failures.size() ? std::min(failures[i + 1], end) : end;
    if (from_cycle(throughput, failures[i], next).empty()) continue;
    found.push_back(recovery(throughput, since, failures[i], next));
    found.back().channels_down = channels_down(outages, failures[i]);
    since = failures[i];
  }
  return found;
}

}  // namespace faultline
