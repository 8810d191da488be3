// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "faultline/topology/topology.h"

namespace faultline {

/// By channel: its position among the outputs of its switch, of at most 65,536; 0 for injection channels.
[[nodiscard]] inline std::vector<std::uint16_t> output_positions(const Topology& topology) {
  std::vector<std::uint16_t> positions(topology.channel_count());
  for (const SwitchId at : topology.switches()) {
    const auto outputs = topology.outputs(at);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      positions[outputs[i].index()] = static_cast<std::uint16_t>(i);
  }
  return positions;
}

/// Of the switch with most of them.
[[nodiscard]] inline std::size_t max_outputs(const Topology& topology) {
  std::size_t most = 0;
  for (const SwitchId at : topology.switches()) most = std::max(most, topology.outputs(at).size());
  return most;
}

}  // namespace faultline
