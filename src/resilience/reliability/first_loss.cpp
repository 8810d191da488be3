// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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
  FaultBlock block{.faults = 0, .lanes = static_cast<std::uint32_t>(histories.size()), .members = {}};
  Verdicts verdicts;
  const auto open = [](const History& one) { return one.lost_by - one.survived > 1; };
  while (std::ranges::any_of(histories, open)) {
    block.faults = 1;
    for (const History& one : histories) block.faults = std::max(block.faults, one.middle());
    block.members.clear();
    for (const History& one : histories)
      for (std::uint32_t i = 0; i < block.faults; ++i)
        block.members.push_back(one.order[i < one.middle() ? i : 0]);
    evaluator.evaluate(block, verdicts);
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

/// Of times in units of 1 / unit_rate.
Estimate mean_hours(double sum, double squares, double count, double unit_rate) {
  const double mean = sum / count;
  const Interval found = student_interval(mean, std::max(0.0, squares - sum * mean), count);
  return {mean / unit_rate, {std::max(0.0, found.low) / unit_rate, found.high / unit_rate}};
}

}  // namespace

std::optional<Estimate> first_loss(const Evaluator& evaluator, const FailureModel& model,
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

}  // namespace faultline::survival
