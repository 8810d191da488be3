// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "resilience/fractions/derivations.h"

namespace faultline::survival {

/// Draws outputs and sizes of derivations, each derivation with a weight that depends on these alone.
class DerivationChoices {
 public:
  /// Derivations of weight 0 are never drawn.
  DerivationChoices(const Derivations& derivations,
                    const std::function<double(Node output, std::uint32_t size)>& weight);

  struct Choice {
    double up_to;
    Node output;
    std::uint32_t size;
    double weight;  ///< of one derivation
  };
  /// Of all derivations; 0 where there is none.
  [[nodiscard]] double total() const { return total_; }
  /// `unit`: uniform in 0 … 1.
  [[nodiscard]] const Choice& pick(double unit) const;

 private:
  std::vector<Choice> choices_;
  double total_ = 0;
};

}  // namespace faultline::survival
