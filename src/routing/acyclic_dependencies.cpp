// SPDX-License-Identifier: Apache-2.0
#include "routing/acyclic_dependencies.h"

#include <algorithm>
#include <queue>

namespace faultline {

std::optional<AcyclicDependencies> AcyclicDependencies::of(const Topology& topology,
                                                           std::vector<std::uint32_t> uses,
                                                           const std::vector<ChannelId>& order) {
  AcyclicDependencies dependencies(topology, std::move(uses));
  if (!dependencies.sort(order)) return std::nullopt;
  return dependencies;
}

/// Of the channels that may come next, the first in `order`. False if there is a cycle.
bool AcyclicDependencies::sort(const std::vector<ChannelId>& order) {
  std::vector<std::uint32_t> holders(order.size()), number(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i].index()] = i;
  for (const ChannelId channel : order)
    for_each_wanted(channel, [&](ChannelId wanted) { ++holders[wanted.index()]; });
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (const ChannelId channel : order)
    if (holders[channel.index()] == 0) ready.push(number[channel.index()]);
  std::uint32_t sorted = 0;
  for (; !ready.empty(); ++sorted) {
    const ChannelId channel = order[ready.top()];
    ready.pop();
    order_.set_position(channel, sorted);
    for_each_wanted(channel, [&](ChannelId wanted) {
      if (--holders[wanted.index()] == 0) ready.push(number[wanted.index()]);
    });
  }
  return sorted == order.size();
}

bool AcyclicDependencies::add(ChannelId held, ChannelId wanted) {
  const std::uint32_t dependency = dependencies_.of(held, wanted);
  std::uint32_t& refused_after = refused_after_[dependency];
  if (uses_[dependency] == 0 && refused_after == removals_) return false;
  if (uses_[dependency] == 0 &&
      !order_.put_before(
          held, wanted, [&](ChannelId channel, auto visit) { for_each_wanted(channel, visit); },
          [&](ChannelId channel, auto visit) { for_each_holder(channel, visit); })) {
    refused_after = removals_;
    return false;
  }
  ++uses_[dependency];
  return true;
}

std::vector<ChannelId> AcyclicDependencies::chain(ChannelId first, ChannelId last) const {
  std::vector<ChannelId> from(topology_->network_channel_count()), found{first};
  for (std::size_t next = 0; next < found.size() && found.back() != last; ++next)
    for_each_wanted(found[next], [&](ChannelId channel) {
      if (channel == first || from[channel.index()].valid() || found.back() == last) return;
      from[channel.index()] = found[next];
      found.push_back(channel);
    });
  if (found.back() != last) return {};
  std::vector<ChannelId> chain{last};
  while (chain.back() != first) chain.push_back(from[chain.back().index()]);
  std::ranges::reverse(chain);
  return chain;
}

std::vector<bool> closing_cycles(const Topology& topology, const std::vector<std::uint32_t>& uses,
                                 const std::vector<ChannelId>& order) {
  struct Dependency {
    ChannelId held, wanted;
    std::size_t number;
  };
  const Dependencies numbers(topology);
  std::vector<Dependency> used;
  for (const ChannelId held : order)
    for (const ChannelId wanted : topology.outputs(topology.target(held)))
      if (topology.role(wanted) == ChannelRole::network)
        if (const std::size_t number = numbers.of(held, wanted); uses[number] != 0)
          used.push_back({held, wanted, number});
  std::ranges::stable_sort(used, std::greater(), [&](const Dependency& one) { return uses[one.number]; });
  auto kept = AcyclicDependencies::of(topology, std::vector<std::uint32_t>(uses.size()), order).value();
  std::vector<bool> closing(uses.size());
  for (const auto& [held, wanted, number] : used) closing[number] = !kept.add(held, wanted);
  return closing;
}

}  // namespace faultline
