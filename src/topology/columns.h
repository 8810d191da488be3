// SPDX-License-Identifier: Apache-2.0
// Columns of a drawing for a network without a plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace faultline {

/// By node: hops from the nearest of `starts`, which hold terminals; 0 if none can be reached.
[[nodiscard]] inline std::vector<std::uint32_t> columns_from(
    const std::vector<std::uint32_t>& starts, const std::vector<std::vector<std::uint32_t>>& neighbours) {
  constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> hops(neighbours.size(), unseen), queue;
  const auto reach = [&](std::uint32_t node, std::uint32_t distance) {
    if (hops[node] != unseen) return;
    hops[node] = distance;
    queue.push_back(node);
  };
  for (const std::uint32_t node : starts) reach(node, 0);
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const std::uint32_t node : neighbours[queue[next]]) reach(node, hops[queue[next]] + 1);
  std::ranges::replace(hops, unseen, 0U);
  return hops;
}

}  // namespace faultline
