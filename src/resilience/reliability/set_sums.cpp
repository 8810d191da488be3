// SPDX-License-Identifier: Apache-2.0
#include "resilience/reliability/set_sums.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>

#include "base/arena.h"

namespace faultline::survival {
namespace {

/// Fewer where each part has sums of very many components: they take 40 bytes a component.
std::uint64_t part_count(std::uint64_t components) {
  constexpr std::uint64_t components_in_all = 4'000'000;
  return std::clamp<std::uint64_t>(components_in_all / std::max<std::uint64_t>(components, 1), 8, 64);
}

/// The sums of sets 0 … count - 1, in parts of fixed size. `make` returns, for each part, a function that
/// fills in a set, given its number, and returns its weight.
std::optional<LossSums> sum_of_parts(const SetEvaluation& how, std::uint64_t count, const auto& make) {
  const std::uint64_t parts = part_count(how.model.components());
  std::vector<LossSums> sums(parts, LossSums(how.model.components()));
  const auto part = [&](std::uint64_t number) {
    WeightedLossCounter counter(how.evaluator, how.model, how.pairs);
    auto fill = make();
    std::vector<std::vector<std::uint32_t>> sets;
    std::vector<double> weights;
    const std::uint64_t begin = count * number / parts, end = count * (number + 1) / parts;
    for (std::uint64_t first = begin; first < end && !is_set(how.conditions.stop); first += counter.lanes()) {
      sets.assign(std::min<std::uint64_t>(end - first, counter.lanes()), {});
      weights.clear();
      for (std::uint64_t i = 0; i < sets.size(); ++i) weights.push_back(fill(first + i, sets[i]));
      counter.add(sets, weights, sums[number]);
    }
  };
  tbb::task_arena arena(arena_threads(how.conditions.threads));
  arena.execute([&] { tbb::parallel_for(std::uint64_t{0}, parts, part); });
  if (is_set(how.conditions.stop)) return std::nullopt;
  LossSums all(how.model.components());
  for (const LossSums& one : sums) all.add(one);
  return all;
}

}  // namespace

std::optional<LossSums> sums_over_every_set(const SetEvaluation& how) {
  const std::uint32_t n = how.model.components();
  return sum_of_parts(how, std::uint64_t{1} << n, [&] {
    return [&, n](std::uint64_t set, std::vector<std::uint32_t>& failed) {
      double probability = 1;
      for (std::uint32_t component = 0; component < n; ++component) {
        const bool has_failed = (set >> component & 1U) != 0;
        const double q = how.model.class_of(component).failed;
        probability *= has_failed ? q : 1 - q;
        if (has_failed) failed.push_back(component);
      }
      return probability;
    };
  });
}

std::optional<LossSums> sums_over_drawn_sets(const SetEvaluation& how, std::uint64_t samples) {
  return sum_of_parts(how, samples, [&] {
    return [&, own = how.model](std::uint64_t set, std::vector<std::uint32_t>& failed) mutable {
      RandomStream random(how.conditions.seed, set);
      own.draw(random, failed);
      return 1.0;
    };
  });
}

std::optional<LossSums> sums_over_rare_sets(const SetEvaluation& how, const RareSets& sets,
                                            std::uint64_t samples) {
  return sum_of_parts(how, samples, [&] {
    return [&, draws = RareSets::Draws(sets, how.model)](std::uint64_t set,
                                                         std::vector<std::uint32_t>& failed) mutable {
      RandomStream random(how.conditions.seed, set);
      return draws(random, failed);
    };
  });
}

bool loses_a_pair_without_faults(const SetEvaluation& how) {
  LossSums intact(how.model.components());
  WeightedLossCounter(how.evaluator, how.model, how.pairs)
      .add(std::vector<std::vector<std::uint32_t>>(1), std::vector{1.0}, intact);
  return intact.intolerable != 0;
}

}  // namespace faultline::survival
