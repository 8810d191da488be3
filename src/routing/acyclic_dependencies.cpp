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
    position_[channel.index()] = sorted;
    for_each_wanted(channel, [&](ChannelId wanted) {
      if (--holders[wanted.index()] == 0) ready.push(number[wanted.index()]);
    });
  }
  return sorted == order.size();
}

bool AcyclicDependencies::add(ChannelId held, ChannelId wanted) {
  std::uint32_t& uses = uses_[dependencies_.of(held, wanted)];
  if (uses == 0 && !is_in_order(held, wanted)) {
    if (leads(wanted, held)) return false;
    move_behind(held, wanted);
  }
  ++uses;
  return true;
}

/// Whether dependencies lead from one channel to another that is not before it in the order.
bool AcyclicDependencies::leads(ChannelId from, ChannelId to) {
  behind_.assign(1, from);
  mark_[from.index()] = ++searches_;
  bool found = from == to;
  for (std::size_t next = 0; next < behind_.size() && !found; ++next)
    for_each_wanted(behind_[next], [&](ChannelId channel) {
      found = found || channel == to;
      if (!is_in_order(channel, to) || mark_[channel.index()] == searches_) return;
      mark_[channel.index()] = searches_;
      behind_.push_back(channel);
    });
  return found;
}

/// What leads to `held`, and then what leads() found behind `wanted`, share out the positions that they have.
void AcyclicDependencies::move_behind(ChannelId held, ChannelId wanted) {
  before_.assign(1, held);
  mark_[held.index()] = ++searches_;
  for (std::size_t next = 0; next < before_.size(); ++next)
    for_each_holder(before_[next], [&](ChannelId channel) {
      if (!is_in_order(wanted, channel) || mark_[channel.index()] == searches_) return;
      mark_[channel.index()] = searches_;
      before_.push_back(channel);
    });
  const auto position = [&](ChannelId channel) { return position_[channel.index()]; };
  std::ranges::sort(before_, {}, position);
  std::ranges::sort(behind_, {}, position);
  before_.insert(before_.end(), behind_.begin(), behind_.end());
  std::vector<std::uint32_t> positions;
  for (const ChannelId channel : before_) positions.push_back(position(channel));
  std::ranges::sort(positions);
  for (std::size_t i = 0; i < before_.size(); ++i) position_[before_[i].index()] = positions[i];
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

}  // namespace faultline
