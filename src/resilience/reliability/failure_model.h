// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "faultline/base/random.h"
#include "faultline/resilience/reliability.h"

namespace faultline::survival {

/// The number of failed components of each class, if each has failed with its class's probability.
class FailureModel {
 public:
  struct Class {
    std::uint32_t first = 0, count = 0;  ///< its components
    double failed = 0;                   ///< probability that one of them has
    double failure_rate = 0;
  };
  /// Classes are in the order of their components and cover all. `least`: smaller numbers of faults are not
  /// drawn.
  FailureModel(std::vector<Class> classes, std::uint32_t least);

  [[nodiscard]] const std::vector<Class>& classes() const { return classes_; }
  [[nodiscard]] const Class& class_of(std::uint32_t component) const {
    return classes_[class_of_[component]];
  }
  [[nodiscard]] std::uint32_t class_number(std::uint32_t component) const { return class_of_[component]; }
  [[nodiscard]] std::uint32_t components() const { return static_cast<std::uint32_t>(class_of_.size()); }
  /// Probability of at least that many faults in all.
  [[nodiscard]] double at_least(std::uint32_t faults) const;
  [[nodiscard]] double probability_of_drawing() const { return at_least(least_); }
  /// Of fewer faults, of which sets are not drawn; and how often per hour their number rises to `least`.
  [[nodiscard]] double probability_of_not_drawing() const;
  [[nodiscard]] double not_drawn_left_per_hour() const;
  /// Where a component of that class has failed: the probability of a set that may be drawn. By class.
  [[nodiscard]] std::vector<double> probabilities_of_drawing_with() const;
  /// A set of at least `least` faults, with its probability among those.
  void draw(RandomStream& random, std::vector<std::uint32_t>& failed);
  /// Adds the components that fail beside those in `failed`, which are different.
  void draw_others(RandomStream& random, std::vector<std::uint32_t>& failed);

 private:
  [[nodiscard]] double exactly(std::uint32_t faults) const;
  /// Without one component of that class.
  [[nodiscard]] FailureModel others(std::size_t number) const;
  void draw_of_class(std::uint32_t number, std::uint32_t faults, RandomStream& random,
                     std::vector<std::uint32_t>& failed);
  [[nodiscard]] std::uint32_t pick(const std::vector<double>& weights, std::uint32_t first,
                                   RandomStream& random) const;

  std::vector<Class> classes_;
  std::uint32_t least_;
  std::vector<std::uint32_t> class_of_;      // by component
  std::vector<std::vector<double>> of_;      // by class: probability of each number of faults
  std::vector<std::vector<double>> onward_;  // by class: of the sum over it and all behind it
  std::vector<bool> taken_;                  // by component
};

}  // namespace faultline::survival
