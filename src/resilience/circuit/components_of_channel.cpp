// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/components_of_channel.h"

#include "base/sort_unique.h"

namespace faultline::survival {

ComponentsOfChannel::ComponentsOfChannel(const FaultComponents& components, Survival survival,
                                         bool without_own)
    : count_(components.count()) {
  const Topology& topology = components.topology();
  std::vector<std::vector<Component>> lists(topology.channel_count());
  for (Component component = 0; component < components.count(); ++component)
    for (const ChannelId channel : components.channels(component)) {
      if (topology.role(channel) != ChannelRole::network &&
          components.unit(component) != FaultUnit::switch_) {
        if (without_own) continue;
        own_to_terminals_ = true;
      }
      lists[channel.index()].push_back(component);
    }
  offsets_.push_back(0);
  for (const ChannelId channel : topology.channels()) {
    std::vector<Component> list = lists[channel.index()];
    if (survival == Survival::any_path_two_way)
      for (const ChannelId other : topology.channels(topology.link(channel)))
        list.insert(list.end(), lists[other.index()].begin(), lists[other.index()].end());
    sort_unique(list);
    components_.insert(components_.end(), list.begin(), list.end());
    offsets_.push_back(static_cast<std::uint32_t>(components_.size()));
  }
}

}  // namespace faultline::survival
