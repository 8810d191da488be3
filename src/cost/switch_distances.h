// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/topology/topology.h"

namespace faultline {

inline constexpr std::uint32_t unreached = ~std::uint32_t{0};

/// Hops from the nearest of `starts` to every switch.
[[nodiscard]] inline std::vector<std::uint32_t> switch_distances(const Topology& topology,
                                                                 std::vector<SwitchId> starts) {
  std::vector<std::uint32_t> distance(topology.switch_count(), unreached);
  for (const SwitchId start : starts) distance[start.index()] = 0;
  for (std::size_t next = 0; next < starts.size(); ++next)
    for (const ChannelId channel : topology.outputs(starts[next])) {
      const SwitchId after = topology.target(channel);
      if (!after.valid() || distance[after.index()] != unreached) continue;
      distance[after.index()] = distance[starts[next].index()] + 1;
      starts.push_back(after);
    }
  return distance;
}

}  // namespace faultline
