// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "resilience/circuit/components_of_channel.h"

namespace faultline::survival {

/// A node of the branch and bound over components: those decided to be dead and those decided to be alive.
struct Decided {
  std::vector<Component> dead, spared;
};

struct LossBound {
  std::uint64_t lost = 0;  ///< pairs that the dead components disconnect
  std::uint64_t endangered =
      0;  ///< further pairs that `budget` more failures, none of a spared component, may disconnect
  std::uint64_t at_most = 0;  ///< upper bound of the pairs lost with `budget` more failures
  std::vector<double> harm;   ///< by component: an upper bound, in pairs, of what its failure contributes
};

/// Sets at_most: `lost` plus the sum of the `budget` largest entries of `harm`, but at most `endangered` of
/// these.
void add_worst(LossBound& bound, std::uint32_t budget);

}  // namespace faultline::survival
