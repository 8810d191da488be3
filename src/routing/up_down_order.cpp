// SPDX-License-Identifier: Apache-2.0
#include "routing/up_down_order.h"

#include <algorithm>
#include <tuple>

#include "routing/path_trees.h"

namespace faultline {
namespace {

/// No order fits: one-way channels form a cycle.
[[noreturn]] void refuse(const Topology& topology, std::string_view routing) {
  const bool has_bundle =
      std::ranges::any_of(id_range<LinkId>(0, topology.network_link_count()),
                          [&](LinkId link) { return topology.channels(link).size() > 2; });
  throw Error(
      "routing", std::string(routing),
      "needs two-way links, or one-way channels without a cycle; " + topology.name() + " has neither" +
          (has_bundle ? " (cables that share a link number are one link of more than two channels)" : ""));
}

std::vector<SwitchId> roots_first(const Topology& topology) {
  std::vector<SwitchId> order;
  for (const SwitchId at : topology.switches()) order.push_back(at);
  std::ranges::stable_sort(order, std::greater<>{}, [&](SwitchId at) {
    const auto links = std::ranges::count_if(
        topology.outputs(at), [&](ChannelId c) { return topology.role(c) == ChannelRole::network; });
    return std::pair(topology.position(at).column, links);
  });
  return order;
}

}  // namespace

FaultSet with_whole_links(const Topology& topology, const FaultSet& known) {
  FaultSet unusable = known;
  for (const ChannelId channel : topology.channels())
    if (known.failed(channel)) unusable.fail(topology, topology.link(channel));
  return unusable;
}

UpDownOrder::UpDownOrder(const Topology& topology, const FaultSet& known, std::string_view routing,
                         SwitchId first)
    : unusable_(with_whole_links(topology, known)), rank_(topology.switch_count()) {
  if (topology.is_two_way())
    rank_breadth_first(topology, first);
  else if (!rank_along_channels(topology))
    refuse(topology, routing);
}

void UpDownOrder::rank_breadth_first(const Topology& topology, SwitchId first) {
  std::vector<bool> seen(topology.switch_count());
  std::vector<SwitchId> queue;
  const auto visit = [&](SwitchId at) {
    if (seen[at.index()]) return;
    seen[at.index()] = true;
    rank_[at.index()] = static_cast<std::uint32_t>(queue.size());
    queue.push_back(at);
  };
  std::size_t next = 0;
  std::vector<SwitchId> roots = roots_first(topology);
  if (first.valid()) roots.insert(roots.begin(), first);
  for (const SwitchId root : roots) {
    visit(root);
    for (; next < queue.size(); ++next)
      for (const ChannelId channel : topology.outputs(queue[next]))
        if (topology.role(channel) == ChannelRole::network && usable(channel))
          visit(topology.target(channel));
  }
}

bool UpDownOrder::rank_along_channels(const Topology& topology) {
  std::vector<std::uint32_t> waiting(topology.switch_count());
  for (const ChannelId channel : id_range<ChannelId>(0, topology.network_channel_count()))
    ++waiting[topology.target(channel).index()];
  std::vector<SwitchId> queue;
  for (const SwitchId at : topology.switches())
    if (waiting[at.index()] == 0) queue.push_back(at);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    rank_[queue[next].index()] = static_cast<std::uint32_t>(next);
    for (const ChannelId channel : topology.outputs(queue[next]))
      if (topology.role(channel) == ChannelRole::network && --waiting[topology.target(channel).index()] == 0)
        queue.push_back(topology.target(channel));
  }
  return queue.size() == topology.switch_count();
}

std::vector<ChannelId> channels_up_and_down(const Topology& topology, const UpDownOrder& order,
                                            const std::vector<SwitchId>& ends) {
  const std::vector<std::uint16_t> away = HopsTo(topology, order.unusable(), ends).hops;
  const auto up_key = [&](ChannelId channel) {
    const SwitchId from = topology.source(channel), to = topology.target(channel);
    const int here = away[from.index()], there = away[to.index()];
    const bool up = there != here ? there > here : order.is_above(to, from);
    const std::int64_t rank = order.rank(from);
    return up ? std::tuple(false, here, -rank) : std::tuple(true, -here, rank);
  };
  std::vector<ChannelId> channels;
  for (const ChannelId channel : id_range<ChannelId>(0, topology.network_channel_count()))
    channels.push_back(channel);
  std::ranges::stable_sort(channels, {}, up_key);
  return channels;
}

}  // namespace faultline
