// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "resilience/evaluate/evaluator.h"
#include "resilience/reliability/failure_model.h"

namespace faultline::survival {

/// Sums over fault sets whose probabilities add up to one, or over drawn ones.
struct LossSums {
  double weight = 0, weight_squared = 0;  ///< of sets that lose a pair
  double lost = 0, lost_squared = 0;      ///< fraction of pairs, weighted
  double rate = 0, rate_squared = 0;  ///< rates per hour at which such sets are left by repairs, and entered
  std::vector<double> with;           ///< weight of sets that hold the component, by component
  std::vector<double> with_squared;
  std::vector<std::uint64_t> held;              ///< sets that hold the component, by component
  std::vector<std::uint64_t> intolerable_with;  ///< and lose a pair
  std::uint64_t sets = 0, intolerable = 0;
  // The same of sets that lose none: where these are rare, differences from one would cancel.
  double tolerable_weight = 0, left_per_hour = 0;  ///< the latter: for a set that loses a pair
  std::vector<double> tolerable_with;
  double kept = 0;  ///< fraction of pairs that no set loses, weighted

  explicit LossSums(std::uint32_t components)
      : with(components),
        with_squared(components),
        held(components),
        intolerable_with(components),
        tolerable_with(components) {}
  void add(const LossSums& other);
  /// Of all sets: true if a tolerable one becomes intolerable with the component. As further faults never
  /// help, such sets are those that there are more of with it than without it.
  [[nodiscard]] bool matters(std::uint32_t component) const {
    return intolerable_with[component] != intolerable - intolerable_with[component];
  }
};

/// Adds a block of sets, of any sizes, with weights.
class WeightedLossCounter {
 public:
  WeightedLossCounter(const Evaluator& evaluator, const FailureModel& model, std::uint64_t pairs);
  [[nodiscard]] std::uint32_t lanes() const { return evaluator_->lanes(); }
  void add(std::span<const std::vector<std::uint32_t>> sets, std::span<const double> weights, LossSums& sums);

 private:
  std::unique_ptr<Evaluator> evaluator_;
  const FailureModel& model_;
  double pairs_;
  Verdicts verdicts_;
};

}  // namespace faultline::survival
