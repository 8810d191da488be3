// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/recovery.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/mean.h"
#include "base/quantiles.h"
#include "faultline/simulate/statistics.h"

namespace faultline {
namespace {

using Bins = std::span<const ThroughputBin>;

constexpr std::size_t fewest_bins = 4;
constexpr double part_of_before = 0.01;
/// If means of several bins scatter by that much more than those of independent bins would, bins depend on
/// each other, and only the means tell how much chance changes.
constexpr double much_more = 1.3;
/// There are three tests: of the bins, of where they settle, and of what follows the failure at once.
constexpr double false_alarm = 0.01 / 3;

std::vector<double> values(Bins bins) {
  std::vector<double> all;
  all.reserve(bins.size());
  for (const ThroughputBin& bin : bins) all.push_back(bin.accepted);
  return all;
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

/// Means of `pooled` values each; what is left at the end is left out.
std::vector<double> means_of(std::span<const double> all, std::size_t pooled) {
  std::vector<double> means;
  for (std::size_t first = 0; first + pooled <= all.size(); first += pooled)
    means.push_back(mean_of(all.subspan(first, pooled)));
  return means;
}

/// A mean, with the square of its standard error.
struct Level {
  double mean = 0, squared_error = 0, freedom = 0;
};
Level level_of(std::span<const double> all) {
  if (all.empty()) return {};
  Level level{.mean = mean_of(all)};
  for (std::size_t pooled = 1; all.size() / pooled >= (pooled == 1 ? 2 : fewest_bins); pooled *= 2) {
    const std::vector<double> means = means_of(all, pooled);
    const auto count = static_cast<double>(means.size());
    const double error = squared_error(means, mean_of(means)) / (count - 1) / count;
    if (pooled == 1 || error > much_more * much_more * level.squared_error)
      level = {level.mean, error, count - 1};
  }
  return level;
}

/// By more than a hundredth, and more than `scatter`.
bool is_below(double value, const Level& before, double scatter) {
  return value < before.mean - std::max(scatter, part_of_before * before.mean);
}

/// How far apart two means may be by chance (Welch), one of `tests` pairs of them.
double scatter_of_means(const Level& a, const Level& b, std::size_t tests = 1) {
  const double sum = a.squared_error + b.squared_error;
  if (sum == 0 || a.freedom == 0 || b.freedom == 0) return 0;
  const double freedom =
      sum * sum /
      (a.squared_error * a.squared_error / a.freedom + b.squared_error * b.squared_error / b.freedom);
  return student_quantile(freedom, false_alarm / static_cast<double>(tests)) * std::sqrt(sum);
}

/// Stretches of steady bins. Failures are compared with the last one; where it is too short to tell how much
/// bins scatter, those before earlier failures count as well.
using Stretches = std::span<const std::vector<double>>;

/// Of the means of `pooled` bins about the mean of their stretch.
struct Scatter {
  double deviation = 0, freedom = 0;
};
Scatter scatter_in(Stretches stretches, std::size_t pooled) {
  double squares = 0, freedom = 0;
  for (const std::vector<double>& stretch : stretches) {
    const std::vector<double> means = means_of(stretch, pooled);
    if (means.size() < 2) continue;
    squares += squared_error(means, mean_of(means));
    freedom += static_cast<double>(means.size() - 1);
  }
  return {freedom == 0 ? 0 : std::sqrt(squares / freedom), freedom};
}

/// The largest value that a mean of values which are never negative is below by chance only as seldom as a
/// normal value is `deviations` below its mean. Their lower tail is that of a Poisson-distributed number, the
/// shorter the more they scatter; by its relation to chi-square, and the cube roots of Wilson and Hilferty.
/// 0 where even none may be chance.
double lowest_by_chance(double mean, double deviation, double deviations) {
  const double expected = mean * mean / (deviation * deviation);
  const auto is_chance = [&](double number) {
    const double half = number + 1;
    return 3 * std::sqrt(half) * (std::cbrt(expected / half) - 1 + 1 / (9 * half)) < deviations;
  };
  double low = 0, high = expected;
  if (is_chance(low)) return 0;
  for (int bit = 0; bit < 50; ++bit) {
    const double middle = (low + high) / 2;
    (is_chance(middle) ? high : low) = middle;
  }
  return mean * low / expected;
}

/// How a mean of `pooled` bins that come later scatters, and by how many deviations one of `tests` such means
/// may be off by chance.
struct Chance {
  double deviation = 0, deviations = 0;
};
Chance chance_of_pooled(std::size_t pooled, Stretches before, std::size_t tests) {
  const Scatter bins = scatter_in(before, 1), means = scatter_in(before, pooled);
  const auto together = static_cast<double>(pooled);
  const bool independent = means.deviation < much_more * bins.deviation / std::sqrt(together);
  const double deviation = independent ? bins.deviation / std::sqrt(together) : means.deviation;
  if (deviation == 0) return {};  // then there may also be no degree of freedom
  return {deviation * std::sqrt(1 + together / static_cast<double>(before.back().size())),
          student_quantile((independent ? bins : means).freedom, false_alarm / static_cast<double>(tests))};
}

/// Below which one of `tests` means of `pooled` bins, whose mean was `mean`, is not by chance.
double limit_of_pooled(std::size_t pooled, double mean, Stretches before, std::size_t tests) {
  const Chance chance = chance_of_pooled(pooled, before, tests);
  return chance.deviation == 0 ? mean : lowest_by_chance(mean, chance.deviation, chance.deviations);
}

/// Means of so many bins in a row, wherever they begin, are compared with the steady bins before, and are low
/// below such a limit.
struct Scale {
  std::size_t pooled;
  double limit;
};
/// 1, 2, 4, … bins, while enough steady ones are left, and one after the failure.
std::vector<Scale> scales(Stretches steady, std::size_t after) {
  std::size_t count = 0;
  for (const std::vector<double>& stretch : steady) count += stretch.size();
  std::vector<Scale> all{{1, 0}};
  for (std::size_t pooled = 2; count / pooled >= fewest_bins && after >= pooled; pooled *= 2)
    all.push_back({pooled, 0});
  const std::vector<double>& latest = steady.back();
  const double before = mean_of(latest);
  for (Scale& scale : all) {
    const auto limit = [&](Stretches of) {
      const std::size_t tests = (after - scale.pooled + 1) * all.size();
      return std::min(limit_of_pooled(scale.pooled, before, of, tests), (1 - part_of_before) * before);
    };
    if (latest.size() / scale.pooled >= fewest_bins) scale.limit = limit(steady.last(1));
    if (scale.limit <= 0) scale.limit = limit(steady);
  }
  return all;
}
/// Not even a total loss of throughput would be.
bool nothing_can_be_low(std::span<const Scale> scales) {
  return std::ranges::all_of(scales, [](const Scale& scale) { return scale.limit <= 0; });
}

/// Behind the last `pooled` bins in a row, none of them before `from`, whose mean is as asked; `from` where
/// there are none.
template <class IsAsked>
std::size_t end_of_last(std::span<const double> bins, std::size_t pooled, std::size_t from,
                        IsAsked is_asked) {
  for (std::size_t end = bins.size(); end >= from + pooled; --end)
    if (is_asked(mean_of(bins.subspan(end - pooled, pooled)))) return end;
  return from;
}

/// Where the last low mean ends, and of how many bins it is.
struct Low {
  std::size_t end, pooled;
  double mean;
};

/// Few packets arrive in a bin, so that even none may be chance; several bins together tell more. Each scale
/// looks at what follows the last low mean of the scales before: after a low bin, a drop may go on that only
/// several bins together show.
std::optional<Low> last_low(std::span<const double> accepted, std::span<const Scale> scales) {
  std::optional<Low> low;
  for (const auto& [pooled, limit] : scales) {
    const std::size_t next = low ? low->end : 0;
    const std::size_t end = end_of_last(accepted, pooled, next, [&](double found) { return found < limit; });
    if (end != next) low = {end, pooled, mean_of(accepted.subspan(end - pooled, pooled))};
  }
  return low;
}

/// Of the first 4, 8, 16, … bins after the failure. Their own scatter tells what chance changes, so that a
/// long drop is found that many bins show together, after a short time before the failure.
std::optional<Low> low_at_once(std::span<const double> accepted, const Level& before) {
  const auto tests = static_cast<std::size_t>(std::bit_width(accepted.size() / fewest_bins));
  std::optional<Low> low;
  for (std::size_t count = fewest_bins; count <= accepted.size(); count *= 2) {
    const Level level = level_of(accepted.first(count));
    if (is_below(level.mean, before, scatter_of_means(level, before, tests))) low = {0, 1, level.mean};
  }
  return low;
}

/// From `from` up to `until`, one way or the other: where the sum of what bins are below `middle` is largest.
std::size_t end_of_deficit(std::span<const double> accepted, std::size_t from, std::size_t until,
                           double middle) {
  const bool forward = from <= until;
  double sum = 0, most = 0;
  std::size_t end = from;
  for (std::size_t at = from; at != until;) {
    const double value = forward ? accepted[at++] : accepted[--at];
    if (sum += middle - value; sum > most) {
      most = sum;
      end = at;
    }
  }
  return end;
}

/// Where the low bins end that `low` is among: those that follow need not be significantly low one by one. By
/// least squares: bins of the stretch are nearer to its mean, and those beside it nearer to the normal one.
std::size_t likely_end(std::span<const double> accepted, Low low, double normal) {
  const std::size_t from = low.end - std::min(low.end, low.pooled);
  std::size_t end = low.end;
  while (true) {
    const double middle = (low.mean + normal) / 2;
    const std::size_t first = end_of_deficit(accepted, from, 0, middle), before = end;
    end = std::max(end, end_of_deficit(accepted, low.end, accepted.size(), middle));
    if (end == before || end == first) return end;
    low.mean = mean_of(accepted.subspan(first, end - first));
  }
}

std::optional<std::uint64_t> back_after(Bins after, std::span<const Scale> scales, const Level& before,
                                        std::uint64_t at) {
  const std::vector<double> accepted = values(after);
  std::optional<Low> low = last_low(accepted, scales);
  if (!low) low = low_at_once(accepted, before);
  if (!low) return 0;
  const std::size_t end = likely_end(accepted, *low, before.mean);
  if (end + low->pooled > after.size()) return std::nullopt;
  return after[end].until - at;
}

/// The bins up to the end of the last mean that is higher than chance explains, beside steady ones.
std::size_t bins_to_last_high(std::span<const double> bins, Stretches steady) {
  const double mean = mean_of(steady.back());
  std::size_t high = 0;
  for (std::size_t pooled = 1; pooled <= bins.size() && steady.back().size() / pooled >= fewest_bins;
       pooled *= 2) {
    const std::size_t tests = bins.size() - pooled + 1;
    const Chance chance = chance_of_pooled(pooled, steady, tests);
    const double limit = (1 + part_of_before) * mean + chance.deviations * chance.deviation;
    high = end_of_last(bins, pooled, high, [&](double found) { return found > limit; });
  }
  return high;
}

/// The end of what precedes a steady state between two cycles, by MSER-5.
std::uint64_t steady_from(Bins bins, std::uint64_t from, std::uint64_t until) {
  const Bins all = between(bins, from, until);
  const std::size_t cut = mser5_truncation(values(all));
  return cut == 0 ? from : all[cut - 1].until;
}

/// Queues that a failure filled. They drain faster than packets come, and have drained by the bin, none
/// before the throughput was back, by which as much has arrived since the failure as would have without it.
/// Failures may follow before, and some queues never drain, as where packets were lost.
struct Backlog {
  double normal;       ///< throughput before the failure
  std::uint64_t back;  ///< when it was back, or the next failure came
  std::uint64_t seen;  ///< end of the bins that have been counted
  double owed = 0;
};

/// Takes out those that have drained until `at`, and returns when the last of them had.
std::uint64_t drain(std::vector<Backlog>& backlogs, Bins bins, std::uint64_t at) {
  std::uint64_t last = 0;
  std::erase_if(backlogs, [&](Backlog& backlog) {
    for (const ThroughputBin& bin : from_cycle(bins, backlog.seen, at)) {
      backlog.owed += backlog.normal - bin.accepted;
      backlog.seen = bin.until;
      if (backlog.owed > 0 || bin.until < backlog.back) continue;
      last = std::max(last, bin.until);
      return true;
    }
    return false;
  });
  return last;
}

/// What is known of the time before a failure.
struct History {
  std::vector<std::vector<double>> steady;  ///< the stretches that failures were compared with
  std::vector<Backlog> backlogs;
};

/// Bins before the failure in cycle `at`: since the throughput was back after the one before, if there is one
/// and it was, and queues had drained, by what was owed and by a throughput that is no longer higher than it
/// was. Then no more than the warm-up of the run is cut: what is left by a cut where nothing need be cut
/// scatters too little. None if queues drain all the time.
std::vector<double> steady_bins(Bins bins, const Recovery* before, std::uint64_t at, History& history) {
  std::vector<Backlog>& backlogs = history.backlogs;
  const bool was_back = before != nullptr && before->back_after;
  const std::uint64_t changed = before == nullptr || was_back ? 0 : before->at;
  const std::uint64_t from = steady_from(bins, changed, at),
                      back = was_back ? before->at + *before->back_after : 0,
                      drained = drain(backlogs, bins, at);
  std::vector<double> found = values(between(bins, std::max({back, from, drained}), at));
  if (was_back && !history.steady.empty())
    if (const std::size_t high = bins_to_last_high(found, history.steady); high + fewest_bins <= found.size())
      found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(high));
  const double mean = found.empty() ? 0 : mean_of(found);
  const bool drains = std::ranges::any_of(
      backlogs, [&](const Backlog& backlog) { return mean > (1 + part_of_before) * backlog.normal; });
  if (drains) found.clear();
  return found;
}

/// `before`: the failure before.
Recovery recovery(Bins bins, const Recovery* before, std::uint64_t at, std::uint64_t until,
                  History& history) {
  Recovery found{.at = at};
  std::vector<std::vector<double>>& steady = history.steady;
  std::vector<double> latest = steady_bins(bins, before, at, history);
  if (latest.size() >= fewest_bins && mean_of(latest) > 0) steady.push_back(std::move(latest));
  const Bins after = from_cycle(bins, at, until);
  const Level settled = level_of(values(after.subspan(after.size() / 2)));
  found.lowest = std::ranges::min(values(after));
  found.after = settled.mean;
  if (steady.empty()) return found;
  const Level level = level_of(steady.back());
  const std::vector<Scale> compared = scales(steady, after.size());
  const bool is_lower =
      settled.freedom > 0 && is_below(settled.mean, level, scatter_of_means(settled, level));
  if (!is_lower && nothing_can_be_low(compared)) return found;
  found.before = level.mean;
  if (!is_lower) found.back_after = back_after(after, compared, level, at);
  history.backlogs.push_back(
      {.normal = level.mean, .back = found.back_after ? at + *found.back_after : until, .seen = at});
  return found;
}

/// Without a warm-up that was asked for, and without what is left at the end: the shorter one of two.
std::vector<ThroughputBin> bins_of_equal_length(Bins all) {
  std::vector<ThroughputBin> equal;
  if (all.empty()) return equal;
  const auto length = [](const ThroughputBin& bin) { return bin.until - bin.from; };
  const std::uint64_t usual =
      all.size() == 2 ? std::max(length(all[0]), length(all[1])) : length(all[all.size() / 2]);
  std::ranges::copy_if(all, std::back_inserter(equal),
                       [&](const ThroughputBin& bin) { return length(bin) == usual; });
  return equal;
}

/// In each of these cycles, which are in order.
std::vector<std::size_t> channels_down(const FaultSchedule& outages, const std::optional<FaultSet>& dead,
                                       const std::vector<std::uint64_t>& cycles) {
  std::vector<std::size_t> down(cycles.size() + 1);  // at first: how many more than in the cycle before
  const auto more = [&](std::uint64_t from) -> std::size_t& {
    return down[static_cast<std::size_t>(std::ranges::lower_bound(cycles, from) - cycles.begin())];
  };
  for (const Outage& outage : outages) {
    if (dead && dead->failed(outage.channel)) continue;
    ++more(outage.from);
    --more(outage.until);
  }
  down.front() += dead ? dead->failed_channel_count() : 0;
  std::partial_sum(down.begin(), down.end(), down.begin());  // unsigned: what wraps comes back
  return down;
}

}  // namespace

std::vector<Recovery> recoveries(std::span<const ThroughputBin> throughput, const FaultSchedule& outages,
                                 const std::optional<FaultSet>& dead) {
  std::vector<Recovery> found;
  const std::vector<ThroughputBin> bins = bins_of_equal_length(throughput);
  if (bins.empty()) return found;
  const std::uint64_t end = bins.back().until;
  std::vector<std::uint64_t> failures;
  for (const Outage& outage : outages)
    if (outage.from != 0) failures.push_back(outage.from);  // else it was there before the run
  std::ranges::sort(failures);
  failures.erase(std::unique(failures.begin(), failures.end()), failures.end());
  const std::vector<std::size_t> down = channels_down(outages, dead, failures);
  History history;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const std::uint64_t next = i + 1 < failures.size() ? std::min(failures[i + 1], end) : end;
    if (from_cycle(bins, failures[i], next).empty()) continue;
    found.push_back(recovery(bins, found.empty() ? nullptr : &found.back(), failures[i], next, history));
    found.back().channels_down = down[i];
  }
  return found;
}

}  // namespace faultline
