// SPDX-License-Identifier: Apache-2.0
#include "routing/spanning_forest.h"

#include <algorithm>

namespace faultline {

SpanningForest::SpanningForest(const Topology& topology, const UpDownOrder& order,
                               const std::vector<SwitchId>& ends)
    : topology_(&topology), has_(topology.network_channel_count()) {
  std::vector<bool> is_needed(topology.switch_count());
  for (const SwitchId end : ends) is_needed[end.index()] = true;
  std::vector<SwitchId> from_below;
  for (const SwitchId at : topology.switches()) from_below.push_back(at);
  std::ranges::sort(from_below, std::greater<>{}, [&](SwitchId at) { return order.rank(at); });
  for (const SwitchId at : from_below) {
    if (!is_needed[at.index()]) continue;
    ChannelId up;
    for (const ChannelId channel : topology.outputs(at))
      if (is_of_network(channel) && order.usable(channel) && order.goes_up(topology, channel) &&
          (!up.valid() || order.is_above(topology.target(channel), topology.target(up))))
        up = channel;
    if (!up.valid()) continue;
    is_needed[topology.target(up).index()] = true;
    for (const ChannelId channel : topology.channels(topology.link(up))) has_[channel.index()] = true;
  }
}

std::vector<ChannelId> SpanningForest::towards(const std::vector<SwitchId>& ends) const {
  std::vector<ChannelId> next(topology_->switch_count());
  std::vector<bool> reached(topology_->switch_count());
  std::vector<SwitchId> queue = ends;
  for (const SwitchId end : ends) reached[end.index()] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const ChannelId channel : topology_->inputs(queue[i])) {
      if (!is_of_network(channel) || !has_[channel.index()]) continue;
      const SwitchId from = topology_->source(channel);
      if (reached[from.index()]) continue;
      reached[from.index()] = true;
      next[from.index()] = channel;
      queue.push_back(from);
    }
  return next;
}

}  // namespace faultline
