// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/derivation_choices.h"

#include <algorithm>

namespace faultline::survival {

DerivationChoices::DerivationChoices(const Derivations& derivations,
                                     const std::function<double(Node, std::uint32_t)>& weight) {
  for (const Circuit::Output& output : derivations.circuit().outputs())
    for (std::uint32_t size = 0; size <= derivations.largest(); ++size) {
      const double ways = derivations.of(output.node).at(size);
      if (ways <= 0) continue;
      const double each = weight(output.node, size);
      if (each <= 0) continue;
      total_ += ways * each;
      choices_.push_back({total_, output.node, size, each});
    }
}

const DerivationChoices::Choice& DerivationChoices::pick(double unit) const {
  const auto found = std::ranges::lower_bound(choices_, unit * total_, {}, &Choice::up_to);
  return found == choices_.end() ? choices_.back() : *found;
}

}  // namespace faultline::survival
