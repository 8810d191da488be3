// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "resilience/reliability/loss_sums.h"

namespace faultline::survival {

void LossSums::add(const LossSums& other) {
  const auto into = [](auto& a, const auto& b) { std::ranges::transform(a, b, a.begin(), std::plus<>{}); };
  weight += other.weight;
  weight_squared += other.weight_squared;
  lost += other.lost;
  lost_squared += other.lost_squared;
  rate += other.rate;
  rate_squared += other.rate_squared;
  into(with, other.with);
  into(with_squared, other.with_squared);
  into(held, other.held);
  into(intolerable_with, other.intolerable_with);
  sets += other.sets;
  intolerable += other.intolerable;
  tolerable_weight += other.tolerable_weight;
  left_per_hour += other.left_per_hour;
  into(tolerable_with, other.tolerable_with);
  kept += other.kept;
}

WeightedLossCounter::WeightedLossCounter(const Evaluator& evaluator, const FailureModel& model,
                                         std::uint64_t pairs)
    : evaluator_(evaluator.clone()),
      model_(model),
      pairs_(static_cast<double>(std::max<std::uint64_t>(pairs, 1))) {}

void WeightedLossCounter::add(std::span<const std::vector<std::uint32_t>> sets,
                              std::span<const double> weights, LossSums& sums) {
  const auto is_empty = [](const auto& set) { return set.empty(); };
  if (std::ranges::any_of(sets, is_empty) && !std::ranges::all_of(sets, is_empty)) {
    for (std::size_t i = 0; i < sets.size(); ++i) add(sets.subspan(i, 1), weights.subspan(i, 1), sums);
    return;
  }
  evaluator_->evaluate(block_of(sets), verdicts_);
  for (std::size_t lane = 0; lane < sets.size(); ++lane) {
    ++sums.sets;
    for (const std::uint32_t component : sets[lane]) ++sums.held[component];
    const double weight = weights[lane];
    double rate = 0;
    for (const FailureModel::Class& one : model_.classes()) rate -= one.failure_rate * one.count;
    for (const std::uint32_t component : sets[lane]) {
      const FailureModel::Class& one = model_.class_of(component);
      rate += one.failure_rate / one.failed;
    }
    const auto lost_pairs = static_cast<double>(verdicts_.lost_pairs[lane]);
    sums.kept += weight * std::max(0.0, pairs_ - lost_pairs) / pairs_;
    if (verdicts_.lost_pairs[lane] == 0) {
      sums.tolerable_weight += weight;
      sums.left_per_hour -= weight * rate;
      for (const std::uint32_t component : sets[lane]) sums.tolerable_with[component] += weight;
      continue;
    }
    ++sums.intolerable;
    const double lost = weight * lost_pairs / pairs_;
    for (const std::uint32_t component : sets[lane]) {
      ++sums.intolerable_with[component];
      sums.with[component] += weight;
      sums.with_squared[component] += weight * weight;
    }
    sums.weight += weight;
    sums.weight_squared += weight * weight;
    sums.lost += lost;
    sums.lost_squared += lost * lost;
    sums.rate += weight * rate;
    sums.rate_squared += weight * weight * rate * rate;
  }
}

}  // namespace faultline::survival
