// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "resilience/circuit/components_of_channel.h"

namespace faultline::survival {

/// A node of the branch and bound over components: those decided to fail and those decided not to.
struct Decided {
  std::vector<Component> dead, spared;
};

struct LossBound {
  std::uint64_t lost = 0;  ///< pairs that the dead components cut off
  std::uint64_t endangered =
      0;  ///< further pairs that `budget` more failures, none of a spared component, may cut off
  std::uint64_t at_most = 0;  ///< no `budget` more failures make it more than this
  std::vector<double> harm;   ///< by component: the share of the pairs that its failure accounts for
};

/// Fills in at_most: `lost` and the sum of the `budget` largest entries of `harm`, at most `endangered`.
void add_worst(LossBound& bound, std::uint32_t budget);

}  // namespace faultline::survival
