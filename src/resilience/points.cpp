// SPDX-License-Identifier: Apache-2.0
#include "resilience/points.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <time.h>

#include <atomic>
#include <cmath>

#include "resilience/binomial.h"
#include "resilience/fault_sets.h"

namespace faultline::survival {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t most_exhaustive_sets = 1'000'000'000;

/// Sums over fault sets: whole numbers, so that the order of adding does not matter.
struct Tally {
  std::uint64_t sets = 0, intolerable = 0;
  Wide lost = 0, lost_squared = 0, live = 0;

  void add(const Verdicts& verdicts) {
    for (std::size_t lane = 0; lane < verdicts.lost_pairs.size(); ++lane) {
      const std::uint64_t pairs = verdicts.lost_pairs[lane];
      ++sets;
      if (pairs != 0) ++intolerable;
      lost += pairs;
      lost_squared += Wide{pairs} * pairs;
      live += verdicts.live_pairs[lane];
    }
  }
  void add(const Tally& other) {
    sets += other.sets;
    intolerable += other.intolerable;
    lost += other.lost;
    lost_squared += other.lost_squared;
    live += other.live;
  }
};

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Worker {
  Worker(const Evaluator& model, std::uint32_t components, std::uint64_t seed)
      : evaluator(model.clone()), sampler(components, seed) {}
  std::unique_ptr<Evaluator> evaluator;
  FaultSetSampler sampler;
  FaultBlock block;
  Verdicts verdicts;
  Tally tally;
  double cpu_seconds = 0;
};

struct Plan {
  std::uint32_t components, faults;
  std::uint64_t sets;
  bool exhaustive;
};

Plan plan(const ResilienceSpec& spec, const FaultComponents& components, std::uint32_t faults) {
  const BigInteger all = binomial(components.count(), faults);
  const bool exhaustive = spec.method == ResilienceMethod::exhaustive ||
                          (spec.method == ResilienceMethod::automatic && all <= spec.samples);
  return {static_cast<std::uint32_t>(components.count()), faults,
          exhaustive ? static_cast<std::uint64_t>(all) : spec.samples, exhaustive};
}

double fraction(Wide part, Wide whole) {
  return whole == 0 ? 1.0
                    : static_cast<double>(static_cast<long double>(part) / static_cast<long double>(whole));
}

/// 95 % interval of the mean fraction of lost pairs. The normal one is of no use while few sets lose any; the
/// interval of their share, times what they lose on average (or, where none was seen, everything), widens it.
Interval lost_interval(const Tally& tally, double pairs, Interval intolerable) {
  const auto n = static_cast<double>(tally.sets);
  const double mean = static_cast<double>(tally.lost) / n / pairs;
  const double square = static_cast<double>(tally.lost_squared) / n / pairs / pairs;
  const double half = 1.96 * std::sqrt(std::max(0.0, square - mean * mean) / std::max(1.0, n - 1));
  const double when_lost = tally.intolerable == 0 ? 1.0 : mean * n / static_cast<double>(tally.intolerable);
  return {std::max(0.0, std::min(mean - half, intolerable.low * when_lost)),
          std::min(1.0, std::max(mean + half, intolerable.high * when_lost))};
}

FaultPoint summarise(const Tally& tally, const Plan& plan, std::uint64_t terminals) {
  FaultPoint point{.faults = plan.faults, .sets = tally.sets, .exhaustive = plan.exhaustive};
  const std::uint64_t pairs = terminals * (terminals - 1);
  const Wide all_pairs = Wide{pairs} * tally.sets;
  point.intolerable_fraction = static_cast<double>(tally.intolerable) / static_cast<double>(tally.sets);
  point.connected_pairs_fraction = fraction(all_pairs - tally.lost, all_pairs);
  point.connected_live_pairs_fraction = fraction(all_pairs - tally.lost, tally.live);
  if (plan.exhaustive) {
    point.intolerable_interval = {point.intolerable_fraction, point.intolerable_fraction};
    point.connected_pairs_interval = {point.connected_pairs_fraction, point.connected_pairs_fraction};
    point.intolerable_sets = std::to_string(tally.intolerable);
    point.sets_total = std::to_string(tally.sets);
    return point;
  }
  point.sets_total = binomial(plan.components, plan.faults).str();
  point.intolerable_interval = clopper_pearson(tally.intolerable, tally.sets);
  const Interval lost =
      pairs == 0 ? Interval{} : lost_interval(tally, static_cast<double>(pairs), point.intolerable_interval);
  point.connected_pairs_interval = {1 - lost.high, 1 - lost.low};
  return point;
}

void run_block(Worker& worker, const Plan& plan, std::uint64_t number) {
  const double start = thread_cpu_seconds();
  const std::uint64_t lanes = worker.evaluator->lanes(), first = number * lanes;
  worker.block.faults = plan.faults;
  worker.block.lanes = static_cast<std::uint32_t>(std::min(lanes, plan.sets - first));
  if (plan.exhaustive)
    list_fault_sets(worker.block, plan.components, first);
  else
    worker.sampler.draw(worker.block, first);
  worker.evaluator->evaluate(worker.block, worker.verdicts);
  worker.tally.add(worker.verdicts);
  worker.cpu_seconds += thread_cpu_seconds() - start;
}

}  // namespace

void check_points(const ResilienceSpec& spec, const FaultComponents& components) {
  if (spec.samples == 0) throw Error("resilience.samples", "0", "must be at least 1");
  for (const std::uint32_t faults : spec.fault_counts) {
    if (faults > components.count())
      throw Error(
          "resilience.faults", std::to_string(faults),
          fmt::format("must be at most {}, the number of components that may fail (unit {}, scope {})",
                      components.count(), name(components.unit()), name(components.scope())));
    if (spec.method != ResilienceMethod::exhaustive) continue;
    if (const BigInteger all = binomial(components.count(), faults); all > most_exhaustive_sets)
      throw Error("resilience.method", "exhaustive",
                  fmt::format("must be sampled or exact where there are more than {} fault sets; {} faults "
                              "among {} components make {}",
                              most_exhaustive_sets, faults, components.count(), all.str()));
  }
}

MeasuredPoint measure(const Evaluator& evaluator, const FaultComponents& components, std::uint32_t faults,
                      const ResilienceSpec& spec, const Progress& progress) {
  const Plan todo = plan(spec, components, faults);
  const std::uint64_t lanes = evaluator.lanes();
  const std::uint64_t blocks = (todo.sets + lanes - 1) / lanes;
  tbb::enumerable_thread_specific<Worker> workers(
      [&] { return Worker(evaluator, todo.components, spec.seed); });
  std::atomic<std::uint64_t> done = 0;
  tbb::task_arena arena(static_cast<int>(std::max(1U, spec.threads)));
  arena.execute([&] {
    tbb::parallel_for(std::uint64_t{0}, blocks, [&](std::uint64_t number) {
      Worker& worker = workers.local();
      run_block(worker, todo, number);
      const std::uint64_t finished = done += worker.block.lanes;
      if (progress) progress(finished, todo.sets);
    });
  });
  Tally tally;
  MeasuredPoint measured;
  for (const Worker& worker : workers) {
    tally.add(worker.tally);
    measured.cpu_seconds += worker.cpu_seconds;
  }
  measured.point = summarise(tally, todo, components.topology().terminal_count());
  return measured;
}

std::vector<std::uint64_t> lost_to_single_faults(const Evaluator& evaluator,
                                                 const FaultComponents& components) {
  const auto count = static_cast<std::uint32_t>(components.count());
  const std::unique_ptr<Evaluator> own = evaluator.clone();
  FaultBlock block{.faults = 1, .lanes = 0, .members = {}};
  Verdicts verdicts;
  std::vector<std::uint64_t> lost;
  while (lost.size() < count) {
    block.lanes = std::min(own->lanes(), count - static_cast<std::uint32_t>(lost.size()));
    list_fault_sets(block, count, lost.size());
    own->evaluate(block, verdicts);
    lost.insert(lost.end(), verdicts.lost_pairs.begin(), verdicts.lost_pairs.end());
  }
  return lost;
}

}  // namespace faultline::survival
