// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "resilience/circuit/components_of_channel.h"

namespace faultline::survival {

/// What has been decided about components.
struct Decided {
  std::vector<Component> dead, spared;
};

struct LossBound {
  std::uint64_t lost = 0;        ///< pairs that the dead components cut off
  std::uint64_t endangered = 0;  ///< others that so many more deaths may cut off, but for spared components
  std::uint64_t at_most = 0;     ///< pairs that are lost with any so many more deaths
  std::vector<double> harm;      ///< by component: pairs that its death may count for
};

/// Fills in at_most: no `budget` components do more harm than the most harmful ones.
void add_worst(LossBound& bound, std::uint32_t budget);

}  // namespace faultline::survival
