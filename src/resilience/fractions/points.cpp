// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/points.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/arena.h"
#include "base/binomial.h"
#include "base/cpu_time.h"
#include "base/quantiles.h"
#include "faultline/base/counted.h"
#include "resilience/evaluate/every_set.h"
#include "resilience/evaluate/fault_sets.h"
#include "resilience/fractions/tally.h"

namespace faultline {
namespace survival {
namespace {

constexpr std::uint64_t max_exhaustive_sets = 1'000'000'000;

struct Worker {
  Worker(const Evaluator& model, std::uint32_t components, std::uint64_t seed,
         const std::shared_ptr<const CompiledConnections>& connections)
      : evaluator(model.clone()), sampler(components, seed) {
    if (connections) lost_terminals.emplace(connections);
  }
  std::unique_ptr<Evaluator> evaluator;
  FaultSetSampler sampler;
  FaultBlock block;
  Verdicts verdicts;
  std::optional<LostTerminals> lost_terminals;
  std::vector<LostCount> lost_counts;
  Tally tally;
  double seconds = 0;
};

struct Plan {
  std::uint32_t components, faults;
  std::uint64_t sets;  ///< at most
  BigInteger total;
  bool exhaustive;
  std::optional<double> width;               ///< of the interval at which sampling ends
  std::shared_ptr<const Clusters> clusters;  ///< in which sets are drawn; null: anywhere
};

std::uint64_t max_sets(const FractionsSpec& spec) {
  if (spec.interval_width) return spec.budget.value_or(FractionsSpec::budget_for_width);
  return std::min(spec.samples, spec.budget.value_or(spec.samples));
}

Plan plan(const FractionsSpec& spec, const FaultComponents& components, std::uint32_t faults) {
  BigInteger all = binomial(components.count(), faults);
  const std::uint64_t few = std::min(spec.samples, max_sets(spec));
  const bool exhaustive = spec.method == ResilienceMethod::exhaustive ||
                          (spec.method != ResilienceMethod::sampled && all <= few && !spec.placement.radius);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t every = all > most ? most : static_cast<std::uint64_t>(all);
  const std::uint64_t sets = exhaustive ? every : max_sets(spec);
  return {static_cast<std::uint32_t>(components.count()),  faults, sets, std::move(all), exhaustive,
          exhaustive ? std::nullopt : spec.interval_width, nullptr};
}

/// How many sets have been evaluated when the interval is tested again. These are fixed numbers, so that the
/// end of sampling depends on neither threads nor kernel; at most an eighth apart, and few enough that
/// repeated testing hardly affects the interval.
std::uint64_t next_look(std::uint64_t sets) {
  constexpr std::uint64_t step = 512;
  return sets + std::max(step, sets / 8 / step * step);
}

bool narrower(const Tally& tally, double width) {
  const Interval interval = clopper_pearson(tally.intolerable, tally.sets);
  return interval.high - interval.low < width;
}

/// CPU time is measured per thread; a device's time by the clock.
void run_on_device(Worker& worker, const DrawnSets& sets) {
  const auto start = std::chrono::steady_clock::now();
  worker.tally.add(worker.evaluator->evaluate(sets));
  worker.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_block(Worker& worker, const Plan& plan, std::uint64_t first, std::uint64_t sets) {
  const double start = thread_cpu_seconds();
  worker.block.faults = plan.faults;
  worker.block.lanes = static_cast<std::uint32_t>(sets);
  if (plan.exhaustive)
    list_fault_sets(worker.block, plan.components, first);
  else
    plan.clusters ? worker.sampler.draw(worker.block, first, *plan.clusters)
                  : worker.sampler.draw(worker.block, first);
  worker.evaluator->evaluate(worker.block, worker.verdicts);
  worker.tally.add(worker.verdicts);
  if (worker.lost_terminals) {
    worker.lost_terminals->count(worker.block, worker.verdicts, worker.lost_counts);
    worker.tally.add(worker.lost_counts);
  }
  worker.seconds += thread_cpu_seconds() - start;
}

void check_placement(const FractionsSpec& spec) {
  if (!spec.placement.radius || spec.method == ResilienceMethod::automatic ||
      spec.method == ResilienceMethod::sampled)
    return;
  throw Error("resilience.placement", "clustered",
              "needs drawn fault sets; it cannot be combined with exhaustive, exact or rare");
}

void check_stop_rules(const FractionsSpec& spec) {
  if (spec.budget && *spec.budget == 0) throw Error("resilience.budget", "0", "must be at least 1");
  if (!spec.interval_width) return;
  const double width = *spec.interval_width;
  if (!(width > 0 && width < 1))
    throw Error("resilience.interval-width", fmt::format("{}", width), "must be above 0 and below 1");
  if (spec.method != ResilienceMethod::automatic && spec.method != ResilienceMethod::sampled)
    throw Error("resilience.interval-width", fmt::format("{}", width),
                "needs plain sampling; it cannot be combined with exhaustive, exact or rare");
}

/// Runs the blocks of a point on several threads.
class Blocks {
 public:
  Blocks(const Evaluator& evaluator, const Plan& plan, const StudyConditions& conditions,
         const std::function<void(std::uint64_t)>& evaluated,
         std::shared_ptr<const CompiledConnections> lost_terminals)
      : on_device_(evaluator.sets_drawn_at_once() != 0 && !plan.exhaustive && !lost_terminals &&
                   !plan.clusters),
        step_(on_device_ ? evaluator.sets_drawn_at_once() : max_lanes(evaluator, lost_terminals != nullptr)),
        plan_(plan),
        conditions_(conditions),
        evaluated_(evaluated),
        workers_([&evaluator, components = plan.components, seed = conditions.seed,
                  connections = std::move(lost_terminals)] {
          return Worker(evaluator, components, seed, connections);
        }),
        arena_(arena_threads(on_device_ ? 1 : conditions.threads)) {}

  /// Evaluates the sets `begin` … `end` - 1, and returns the sums over all so far. When it is to stop, blocks
  /// that no thread has begun are left out.
  Tally run(std::uint64_t begin, std::uint64_t end) {
    // In parts, so that after a stop there are not all the remaining blocks to skip.
    constexpr std::uint64_t blocks_a_part = 1 << 16;
    for (std::uint64_t part = begin; part < end && !is_set(conditions_.stop); part += blocks_a_part * step_)
      run_part(part, std::min(end, part + blocks_a_part * step_));
    Tally tally;
    for (const Worker& worker : workers_) tally.add(worker.tally);
    return tally;
  }

  [[nodiscard]] double seconds() const {
    double seconds = 0;
    for (const Worker& worker : workers_) seconds += worker.seconds;
    return seconds;
  }

 private:
  void run_part(std::uint64_t begin, std::uint64_t end) {
    arena_.execute([&] {
      tbb::parallel_for(std::uint64_t{0}, (end - begin + step_ - 1) / step_, [&](std::uint64_t number) {
        if (is_set(conditions_.stop)) return;
        const std::uint64_t first = begin + number * step_, sets = std::min(step_, end - first);
        if (on_device_)
          run_on_device(workers_.local(), {conditions_.seed, plan_.faults, first, sets});
        else
          run_block(workers_.local(), plan_, first, sets);
        if (evaluated_) evaluated_(sets);
      });
    });
  }

  /// Lost terminals are evaluated by the fastest kernel, one of its blocks at a time.
  static std::uint64_t max_lanes(const Evaluator& evaluator, bool lost_terminals) {
    const std::uint32_t most = 64 * fastest_kernel().words;
    return lost_terminals ? std::min(evaluator.lanes(), most) : evaluator.lanes();
  }

  bool on_device_;
  std::uint64_t step_;
  const Plan& plan_;
  const StudyConditions& conditions_;
  const std::function<void(std::uint64_t)>& evaluated_;
  tbb::enumerable_thread_specific<Worker> workers_;
  tbb::task_arena arena_;
};

void check_number(const FractionsSpec& spec, const FaultComponents& components, std::uint32_t faults) {
  if (faults > components.count())
    throw Error(
        "resilience.faults", std::to_string(faults),
        fmt::format("must be at most {}, the number of components that may fail (unit {}, scope {})",
                    components.count(), to_string(components.units()), to_string(components.scope())));
  if (spec.method != ResilienceMethod::exhaustive) return;
  const BigInteger all = binomial(components.count(), faults);
  if (spec.budget && all > *spec.budget)
    throw Error("resilience.budget", std::to_string(*spec.budget),
                fmt::format("must be at least {}, all sets of {}, to evaluate them exhaustively", all.str(),
                            counted(faults, "fault")));
  if (all > max_exhaustive_sets)
    refuse_method(spec.method, fmt::format("at most {} fault sets can be evaluated, and {} faults among {} "
                                           "components make {}; sample them, or count exactly",
                                           max_exhaustive_sets, faults, components.count(), all.str()));
}

}  // namespace

void check_points(const FractionsSpec& spec, const FaultComponents& components) {
  if (spec.samples == 0) throw Error("resilience.samples", "0", "must be at least 1");
  check_stop_rules(spec);
  check_placement(spec);
  for (const std::uint32_t faults : spec.fault_counts) check_number(spec, components, faults);
}

}  // namespace survival

bool evaluates_every_set(const FractionsSpec& spec, const FaultComponents& components, std::uint32_t faults) {
  return survival::plan(spec, components, faults).exhaustive;
}

std::uint64_t expected_sets(const FractionsSpec& spec, const FaultComponents& components,
                            std::uint32_t faults) {
  survival::check_number(spec, components, faults);
  const survival::Plan todo = survival::plan(spec, components, faults);
  if (!todo.width) return todo.sets;
  // The widest normal interval, of a fraction of one half, is 2 * 1.96 * sqrt(1/4 / n).
  const double needed = std::ceil(1.96 * 1.96 / (*todo.width * *todo.width));
  return needed < static_cast<double>(todo.sets) ? static_cast<std::uint64_t>(needed) : todo.sets;
}

namespace survival {

MeasuredPoint measure(const Evaluator& evaluator, const FaultComponents& components, std::uint32_t faults,
                      const FractionsSpec& spec, const StudyConditions& conditions,
                      const std::function<void(std::uint64_t)>& evaluated,
                      std::shared_ptr<const CompiledConnections> lost_terminals) {
  const bool counts_lost = lost_terminals != nullptr;
  Plan todo = plan(spec, components, faults);
  if (spec.placement.radius)
    todo.clusters = std::make_shared<const Clusters>(components, *spec.placement.radius, faults);
  Blocks blocks(evaluator, todo, conditions, evaluated, std::move(lost_terminals));
  Tally tally;
  MeasuredPoint measured;
  for (std::uint64_t begin = 0; !measured.complete && !is_set(conditions.stop);) {
    const std::uint64_t end = todo.width ? std::min(todo.sets, next_look(begin)) : todo.sets;
    tally = blocks.run(begin, end);
    measured.complete =
        tally.sets == todo.sets || (todo.width && tally.sets == end && narrower(tally, *todo.width));
    begin = end;
  }
  measured.seconds = blocks.seconds();
  if (tally.sets != 0)
    measured.point =
        summarise(tally, faults, todo.total.str(), todo.exhaustive, components.topology().terminal_count());
  if (counts_lost && tally.sets != 0)
    measured.point.lost_terminals = {
        tally.worst_lost_terminals,
        static_cast<double>(tally.lost_terminals) / static_cast<double>(tally.sets),
        tally.lost_terminals_exact};
  return measured;
}

namespace {

/// Of each set of `faults` components.
std::vector<std::uint64_t> lost_to_every_set(const Evaluator& evaluator, const FaultComponents& components,
                                             std::uint32_t faults) {
  const std::unique_ptr<Evaluator> own = evaluator.clone();
  std::vector<std::uint64_t> lost;
  for_every_set(*own, static_cast<std::uint32_t>(components.count()), faults,
                [&](const FaultBlock&, const Verdicts& verdicts) {
                  lost.insert(lost.end(), verdicts.lost_pairs.begin(), verdicts.lost_pairs.end());
                  return true;
                });
  return lost;
}

}  // namespace

std::uint64_t lost_without_faults(const Evaluator& evaluator, const FaultComponents& components) {
  return lost_to_every_set(evaluator, components, 0).front();
}

std::vector<std::uint64_t> lost_to_single_faults(const Evaluator& evaluator,
                                                 const FaultComponents& components) {
  return lost_to_every_set(evaluator, components, 1);
}

}  // namespace survival
}  // namespace faultline
