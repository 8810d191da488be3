// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/components_of_channel.h"

#include <algorithm>

#include "base/sort_unique.h"

namespace faultline::survival {
namespace {

/// By channel, ascending: the components that hold it, or, with any_path_two_way, a channel of its link.
std::vector<std::vector<Component>> components_by_channel(const FaultComponents& components,
                                                          Survival survival) {
  const Topology& topology = components.topology();
  std::vector<std::vector<Component>> holders(topology.channel_count());
  for (Component component = 0; component < components.count(); ++component)
    for (const ChannelId channel : components.channels(component))
      holders[channel.index()].push_back(component);
  std::vector<std::vector<Component>> lists = holders;
  for (const ChannelId channel : topology.channels()) {
    std::vector<Component>& list = lists[channel.index()];
    if (survival == Survival::any_path_two_way)
      for (const ChannelId other : topology.channels(topology.link(channel)))
        list.insert(list.end(), holders[other.index()].begin(), holders[other.index()].end());
    sort_unique(list);
  }
  return lists;
}

}  // namespace

bool is_attached_switch(const FaultComponents& components, Component component, ChannelId channel) {
  const Topology& topology = components.topology();
  const bool sends = topology.role(channel) == ChannelRole::injection;
  return components.unit(component) == FaultUnit::switch_ &&
         components.member(component) ==
             (sends ? topology.target(channel) : topology.source(channel)).value();
}

ComponentsOfChannel::ComponentsOfChannel(const FaultComponents& components, Survival survival,
                                         bool without_own)
    : count_(components.count()) {
  const Topology& topology = components.topology();
  std::vector<std::vector<Component>> lists = components_by_channel(components, survival);
  offsets_.push_back(0);
  for (const ChannelId channel : topology.channels()) {
    std::vector<Component>& list = lists[channel.index()];
    if (topology.role(channel) != ChannelRole::network) {
      const auto sets_apart = [&](Component component) {
        return !is_attached_switch(components, component, channel);
      };
      if (without_own) std::erase_if(list, sets_apart);
      own_to_terminals_ = own_to_terminals_ || std::ranges::any_of(list, sets_apart);
    }
    components_.insert(components_.end(), list.begin(), list.end());
    offsets_.push_back(static_cast<std::uint32_t>(components_.size()));
  }
}

}  // namespace faultline::survival
