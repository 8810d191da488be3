// SPDX-License-Identifier: Apache-2.0
#include "routing/path_trees.h"

#include <fmt/format.h>

#include <numeric>

#include "faultline/base/error.h"
#include "faultline/routing/ejection_classes.h"

namespace faultline {
namespace {

/// Weights of channels, grown by the paths that are chosen.
class Balance {
 public:
  Balance(const Topology& topology, const FaultSet& known)
      : topology_(topology),
        known_(known),
        weight_(topology.network_channel_count()),
        sources_(injection_channels_to(topology, known)) {}

  std::vector<ChannelId> tree_along(const HopsTo& distance) {
    std::vector<ChannelId> next(topology_.switch_count());
    std::vector<std::uint64_t> path_weight(topology_.switch_count());
    for (const SwitchId at : distance.order) {
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      for_each_nearer(topology_, known_, distance.hops, at, [&](ChannelId channel) {
        const std::uint64_t weight =
            weight_[channel.index()] + path_weight[topology_.target(channel).index()];
        if (weight >= least) return;
        least = weight;
        next[at.index()] = channel;
      });
      if (next[at.index()].valid()) path_weight[at.index()] = least;
    }
    add_load(distance, next);
    return next;
  }

 private:
  void add_load(const HopsTo& distance, const std::vector<ChannelId>& next) {
    std::vector<std::uint64_t> load = sources_;
    for (auto at = distance.order.rbegin(); at != distance.order.rend(); ++at) {
      const ChannelId channel = next[at->index()];
      if (!channel.valid()) continue;
      weight_[channel.index()] += load[at->index()];
      load[topology_.target(channel).index()] += load[at->index()];
    }
  }

  const Topology& topology_;
  const FaultSet& known_;
  std::vector<std::uint64_t> weight_;   // by network channel
  std::vector<std::uint64_t> sources_;  // by switch: injection channels that lead to it
};

}  // namespace

std::uint16_t one_hop_more(std::uint16_t hops, const Topology& topology) {
  if (hops == PathTrees::unreachable - 1)
    throw Error("routing", topology.name(),
                fmt::format("must have paths of at most {} hops", PathTrees::unreachable - 1));
  return static_cast<std::uint16_t>(hops + 1);
}

HopsTo::HopsTo(const Topology& topology, const FaultSet& known, const std::vector<SwitchId>& ends)
    : hops(topology.switch_count(), PathTrees::unreachable), order(ends) {
  for (const SwitchId end : ends) hops[end.index()] = 0;
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const ChannelId channel : topology.inputs(order[next])) {
      const SwitchId before = topology.source(channel);
      if (!before.valid() || known.failed(channel) || hops[before.index()] != PathTrees::unreachable)
        continue;
      hops[before.index()] = one_hop_more(hops[order[next].index()], topology);
      order.push_back(before);
    }
}

PathTrees lowest_port_trees(const Topology& topology, const FaultSet& known) {
  EjectionClasses classes(topology, known);
  PathTrees trees(topology, std::move(classes.class_of));
  for (const std::vector<SwitchId>& ends : classes.switches) {
    const HopsTo distance(topology, known, ends);
    std::vector<ChannelId> next(topology.switch_count());
    for (const SwitchId at : distance.order)
      for_each_nearer(topology, known, distance.hops, at, [&](ChannelId channel) {
        if (!next[at.index()].valid()) next[at.index()] = channel;
      });
    trees.add(next, distance.order);
  }
  return trees;
}

std::vector<std::uint64_t> injection_channels_to(const Topology& topology, const FaultSet& known) {
  std::vector<std::uint64_t> channels(topology.switch_count());
  for (const TerminalId terminal : topology.terminals())
    for (const ChannelId channel : topology.injection(terminal))
      if (!known.failed(channel)) ++channels[topology.target(channel).index()];
  return channels;
}

void require_fitting_tables(const Topology& topology) {
  constexpr std::size_t max_entries = std::size_t{1} << 30;
  if (topology.terminal_count() > max_entries / std::max<std::size_t>(topology.switch_count(), 1))
    throw Error("routing", topology.name(),
                fmt::format("must have at most {} pairs of a switch and a terminal for tables of their own",
                            max_entries));
}

PathTrees balanced_trees(const Topology& topology, const FaultSet& known) {
  require_fitting_tables(topology);
  std::vector<std::uint32_t> own(topology.terminal_count());
  std::iota(own.begin(), own.end(), 0U);
  PathTrees trees(topology, std::move(own));
  const EjectionClasses classes(topology, known);
  Balance balance(topology, known);
  for (const TerminalId terminal : topology.terminals()) {
    const HopsTo distance(topology, known, classes.switches[classes.class_of[terminal.index()]]);
    trees.add(balance.tree_along(distance), distance.order);
  }
  return trees;
}

}  // namespace faultline
