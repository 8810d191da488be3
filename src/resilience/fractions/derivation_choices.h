// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/fractions/derivations.h"

namespace faultline::survival {

/// Draws outputs and sizes of derivations, each derivation with a weight that depends on its size alone.
class DerivationChoices {
 public:
  DerivationChoices(const Derivations& derivations, std::vector<double> weight_by_size);

  struct Choice {
    double up_to;
    Node output;
    std::uint32_t size;
  };
  /// Of all derivations; 0 where there is none.
  [[nodiscard]] double total() const { return total_; }
  [[nodiscard]] double weight(std::uint32_t size) const { return weight_[size]; }
  /// `unit`: uniform in 0 … 1.
  [[nodiscard]] const Choice& pick(double unit) const;

 private:
  std::vector<double> weight_;  // by size
  std::vector<Choice> choices_;
  double total_ = 0;
};

}  // namespace faultline::survival
