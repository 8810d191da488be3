// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "faultline/topology/topology.h"

namespace faultline {

/// The most channels that enter or leave a switch.
[[nodiscard]] inline std::size_t widest_switch(const Topology& topology) {
  std::size_t channels = 0;
  for (const SwitchId at : topology.switches())
    channels = std::max({channels, topology.inputs(at).size(), topology.outputs(at).size()});
  return channels;
}

}  // namespace faultline
