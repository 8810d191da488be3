// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/partition.h"

#include <algorithm>
#include <numeric>

namespace faultline::wormhole::planes {
namespace {

/// By switch: channels on the way to it from the nearest switch where a terminal injects.
std::vector<std::uint32_t> stages(const Topology& topology) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  std::vector<std::uint32_t> stage(topology.switch_count(), unknown);
  std::vector<SwitchId> found;
  const auto reach = [&](SwitchId at, std::uint32_t distance) {
    if (stage[at.index()] != unknown) return;
    stage[at.index()] = distance;
    found.push_back(at);
  };
  for (const ChannelId channel : topology.channels())
    if (topology.role(channel) == ChannelRole::injection) reach(topology.target(channel), 0);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const ChannelId channel : topology.outputs(found[i]))
      if (topology.role(channel) == ChannelRole::network)
        reach(topology.target(channel), stage[found[i].index()] + 1);
  return stage;
}

/// By group: the stage of its first switch.
std::vector<std::uint32_t> stages_of_groups(const Topology& topology, std::uint32_t lanes) {
  std::vector<std::uint32_t> of_groups;
  const std::vector<std::uint32_t> of_switches = stages(topology);
  for (std::size_t at = 0; at < of_switches.size(); at += lanes) of_groups.push_back(of_switches[at]);
  return of_groups;
}

}  // namespace

Partition::Partition(const Topology& topology, std::uint32_t lanes, std::uint32_t max_regions) {
  const std::vector<std::uint32_t> stage = stages_of_groups(topology, lanes);
  const std::size_t most = std::max<std::size_t>(1, std::min<std::size_t>(stage.size(), 255));
  const std::size_t regions = std::clamp<std::size_t>(max_regions, 1, most);
  by_group.resize(stage.size());
  groups.resize(regions);
  terminals.resize(regions);

  std::vector<std::uint32_t> order(stage.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t group) { return stage[group]; });
  for (auto first = order.begin(); first != order.end();) {
    const auto end =
        std::find_if(first, order.end(), [&](std::uint32_t group) { return stage[group] != stage[*first]; });
    deal({first, end});
    first = end;
  }
  for (auto& of_region : groups) std::ranges::sort(of_region);
  deal_terminals(topology, lanes);
}

/// Groups of one stage. The remainder goes to the regions that have fewest so far.
void Partition::deal(std::span<const std::uint32_t> stage) {
  std::vector<std::uint32_t> fewest(regions());
  std::iota(fewest.begin(), fewest.end(), 0U);
  std::ranges::stable_sort(fewest, {}, [&](std::uint32_t region) { return groups[region].size(); });
  std::vector<std::size_t> share(regions(), stage.size() / regions());
  for (std::size_t i = 0; i < stage.size() % regions(); ++i) ++share[fewest[i]];
  for (std::uint32_t region = 0; region < regions(); ++region) {
    for (const std::uint32_t group : stage.first(share[region])) {
      by_group[group] = static_cast<std::uint8_t>(region);
      groups[region].push_back(group);
    }
    stage = stage.subspan(share[region]);
  }
}

void Partition::deal_terminals(const Topology& topology, std::uint32_t lanes) {
  for (const TerminalId terminal : topology.terminals()) {
    const auto channels = topology.injection(terminal);
    const std::size_t region =
        channels.empty() ? 0 : by_group[topology.target(channels.front()).index() / lanes];
    terminals[region].push_back(terminal);
  }
}

}  // namespace faultline::wormhole::planes
