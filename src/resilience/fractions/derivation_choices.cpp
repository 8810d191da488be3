// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/derivation_choices.h"

#include <algorithm>

namespace faultline::survival {

DerivationChoices::DerivationChoices(const Derivations& derivations, std::vector<double> weight_by_size)
    : weight_(std::move(weight_by_size)) {
  for (const Circuit::Output& output : derivations.circuit().outputs())
    for (std::uint32_t size = 0; size <= derivations.largest(); ++size)
      if (const double ways = derivations.of(output.node).at(size); ways > 0) {
        total_ += ways * weight_[size];
        choices_.push_back({total_, output.node, size});
      }
}

const DerivationChoices::Choice& DerivationChoices::pick(double unit) const {
  const auto found = std::ranges::lower_bound(choices_, unit * total_, {}, &Choice::up_to);
  return found == choices_.end() ? choices_.back() : *found;
}

}  // namespace faultline::survival
