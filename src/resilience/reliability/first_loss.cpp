// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/arena.h"
#include "base/quantiles.h"
#include "resilience/reliability/reliability.h"

namespace faultline::survival {
namespace {

/// A history: when each component fails, and in which order.
struct History {
  std::vector<double> time;  // by component, times the unit of rates, so that its square is a number
  std::vector<std::uint32_t> order;
  std::uint32_t survived = 0, lost_by = 0;  ///< numbers of faults

  History(const FailureModel& model, double unit_rate, RandomStream random)
      : time(model.components()), order(time.size()) {
    for (std::uint32_t component = 0; component < time.size(); ++component)
      time[component] =
          -std::log1p(-random.next_unit()) / (model.class_of(component).failure_rate / unit_rate);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t component) { return time[component]; });
    lost_by = static_cast<std::uint32_t>(order.size());
  }
  [[nodiscard]] std::uint32_t middle() const { return survived + (lost_by - survived) / 2; }
};

/// Halves the interval that contains the first loss, in all histories of a block at once.
double sum_of_times(Evaluator& evaluator, std::vector<History>& histories, double& squares) {
  Verdicts verdicts;
  std::vector<std::span<const std::uint32_t>> sets;
  const auto open = [](const History& one) { return one.lost_by - one.survived > 1; };
  while (std::ranges::any_of(histories, open)) {
    sets.clear();
    for (const History& one : histories)
      sets.push_back(std::span(one.order).first(std::max(one.middle(), 1U)));
    evaluator.evaluate(block_of(sets), verdicts);
    for (std::size_t i = 0; i < histories.size(); ++i)
      if (open(histories[i]))
        (verdicts.lost_pairs[i] == 0 ? histories[i].survived : histories[i].lost_by) = histories[i].middle();
  }
  double sum = 0;
  for (const History& one : histories) {
    const double time = one.time[one.order[one.lost_by - 1]];
    sum += time;
    squares += time * time;
  }
  return sum;
}

/// Sets first … end - 1 as numbers whose bits are their members.
std::vector<std::vector<std::uint32_t>> sets_of_bits(std::size_t first, std::size_t end) {
  std::vector<std::vector<std::uint32_t>> sets(end - first);
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (std::size_t rest = first + i; rest != 0; rest &= rest - 1)
      sets[i].push_back(static_cast<std::uint32_t>(std::countr_zero(rest)));
  return sets;
}

/// Of times in units of 1 / unit_rate.
Estimate mean_hours(double sum, double squares, double count, double unit_rate) {
  const double mean = sum / count;
  const Interval found = student_interval(mean, std::max(0.0, squares - sum * mean), count);
  return {mean / unit_rate, {std::max(0.0, found.low) / unit_rate, found.high / unit_rate}};
}

/// By set of failed components, bit c for component c: whether a pair is lost. Parts of it where it is
/// stopped.
std::vector<std::uint8_t> lost_by_set(const Evaluator& evaluator, std::uint32_t components,
                                      const StudyConditions& conditions) {
  std::vector<std::uint8_t> lost(std::size_t{1} << components);
  constexpr std::size_t part = 4096;
  tbb::task_arena arena(arena_threads(conditions.threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, (lost.size() + part - 1) / part, [&](std::size_t number) {
      if (is_set(conditions.stop)) return;
      const std::unique_ptr<Evaluator> own = evaluator.clone();
      Verdicts verdicts;
      const std::size_t end = std::min(lost.size(), (number + 1) * part);
      for (std::size_t first = number * part, next = 0; first < end; first = next) {
        next = first == 0 ? 1 : std::min(end, first + own->lanes());  // the empty set alone
        own->evaluate(block_of(sets_of_bits(first, next)), verdicts);
        for (std::size_t set = first; set < next; ++set)
          lost[set] = verdicts.lost_pairs[set - first] != 0 ? 1 : 0;
      }
    });
  });
  return lost;
}

}  // namespace

std::optional<Estimate> first_loss_by_histories(const Evaluator& evaluator, const FailureModel& model,
                                                std::uint64_t histories, const StudyConditions& conditions) {
  constexpr std::uint64_t block = 64;  // whatever the kernel: sums are the same
  const double unit_rate = model.classes().front().failure_rate;
  std::vector<double> sums((histories + block - 1) / block), squares(sums.size());
  tbb::task_arena arena(arena_threads(conditions.threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t number) {
      if (is_set(conditions.stop)) return;
      const std::unique_ptr<Evaluator> own = evaluator.clone();
      const std::uint64_t first = number * block, end = std::min(histories, first + block);
      const std::uint64_t step = std::min<std::uint64_t>(block, own->lanes());
      for (std::uint64_t i = first; i < end; i += step) {
        std::vector<History> here;
        for (std::uint64_t j = i; j < std::min(end, i + step); ++j)
          here.emplace_back(model, unit_rate, RandomStream(conditions.seed, j));
        sums[number] += sum_of_times(*own, here, squares[number]);
      }
    });
  });
  if (is_set(conditions.stop)) return std::nullopt;
  return mean_hours(std::accumulate(sums.begin(), sums.end(), 0.0),
                    std::accumulate(squares.begin(), squares.end(), 0.0), static_cast<double>(histories),
                    unit_rate);
}

std::optional<Estimate> first_loss_by_sets(const Evaluator& evaluator, const FailureModel& model,
                                           const StudyConditions& conditions) {
  const std::uint32_t n = model.components();
  const std::vector<std::uint8_t> lost = lost_by_set(evaluator, n, conditions);
  if (is_set(conditions.stop)) return std::nullopt;
  const double unit_rate = model.classes().front().failure_rate;
  std::vector<double> time(lost.size());  // from the set until a pair is lost
  for (std::size_t set = lost.size(); set-- > 0;) {
    if (lost[set] != 0) continue;
    double rates = 0, onward = 1;
    for (std::uint32_t component = 0; component < n; ++component)
      if ((set >> component & 1U) == 0) {
        const double rate = model.class_of(component).failure_rate / unit_rate;
        rates += rate;
        onward += rate * time[set | std::size_t{1} << component];
      }
    time[set] = rates > 0 ? onward / rates : std::numeric_limits<double>::infinity();
  }
  const double hours = time.front() / unit_rate;
  return Estimate{hours, {hours, hours}};
}

}  // namespace faultline::survival
