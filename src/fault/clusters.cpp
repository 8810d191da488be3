// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/clusters.h"

#include <algorithm>

namespace faultline {
namespace {

constexpr std::uint32_t unreached = ~std::uint32_t{0};

/// Hops over channels in either direction.
std::vector<std::uint32_t> distances_from(const Topology& topology, SwitchId centre) {
  std::vector<std::uint32_t> distance(topology.switch_count(), unreached);
  std::vector<SwitchId> found{centre};
  distance[centre.index()] = 0;
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto reach = [&](SwitchId other) {
      if (!other.valid() || distance[other.index()] != unreached) return;
      distance[other.index()] = distance[found[next].index()] + 1;
      found.push_back(other);
    };
    for (const ChannelId channel : topology.outputs(found[next])) reach(topology.target(channel));
    for (const ChannelId channel : topology.inputs(found[next])) reach(topology.source(channel));
  }
  return distance;
}

std::uint32_t farthest_end(const FaultComponents& components, std::uint32_t component,
                           const std::vector<std::uint32_t>& distance) {
  const Topology& topology = components.topology();
  std::uint32_t farthest = 0;
  for (const ChannelId channel : components.channels(component))
    for (const SwitchId end : {topology.source(channel), topology.target(channel)})
      if (end.valid()) farthest = std::max(farthest, distance[end.index()]);
  return farthest;
}

}  // namespace

Clusters::Clusters(const FaultComponents& components, std::uint32_t radius, std::uint32_t least) {
  const auto count = static_cast<std::uint32_t>(components.count());
  for (const SwitchId centre : components.topology().switches()) {
    const std::vector<std::uint32_t> distance = distances_from(components.topology(), centre);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_distance;
    for (std::uint32_t component = 0; component < count; ++component)
      by_distance.emplace_back(farthest_end(components, component, distance), component);
    std::ranges::sort(by_distance);
    const std::uint32_t needed = least == 0 ? 0 : by_distance[std::min(least, count) - 1].first;
    for (const auto& [apart, component] : by_distance)
      if (apart <= std::max(radius, needed)) members_.push_back(component);
    offsets_.push_back(members_.size());
  }
}

}  // namespace faultline
