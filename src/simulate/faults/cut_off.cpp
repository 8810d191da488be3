// SPDX-License-Identifier: Apache-2.0
#include "simulate/faults/cut_off.h"

#include <algorithm>

namespace faultline {
namespace {

/// Searches the network as it is without the channels that are down.
class LivingNetwork {
 public:
  LivingNetwork(const Topology& topology, const FaultSchedule& schedule, std::uint64_t end)
      : topology_(topology), down_(topology.channel_count()) {
    for (const Outage& outage : schedule)
      if (end != 0 && outage.covers(end - 1)) down_[outage.channel.index()] = any_down_ = true;
  }

  [[nodiscard]] bool any_down() const { return any_down_; }

  /// By terminal: whether `start` reaches it.
  [[nodiscard]] std::vector<bool> reached_from(TerminalId start) const {
    return search(
        topology_.injection(start), [&](ChannelId channel) { return topology_.target(channel); },
        [&](SwitchId at) { return topology_.outputs(at); });
  }
  /// Whether it reaches `end`.
  [[nodiscard]] std::vector<bool> reaching(TerminalId end) const {
    return search(
        topology_.ejection(end), [&](ChannelId channel) { return topology_.source(channel); },
        [&](SwitchId at) { return topology_.inputs(at); });
  }

 private:
  template <class SwitchAt, class Onwards>
  [[nodiscard]] std::vector<bool> search(std::span<const ChannelId> first, SwitchAt switch_at,
                                         Onwards onwards) const {
    std::vector<bool> seen(topology_.switch_count()), found(topology_.terminal_count());
    std::vector<SwitchId> queue;
    const auto follow = [&](ChannelId channel) {
      if (down_[channel.index()]) return;
      const SwitchId next = switch_at(channel);
      if (!next.valid()) {
        found[topology_.terminal(channel).index()] = true;
        return;
      }
      if (!seen[next.index()]) queue.push_back(next);
      seen[next.index()] = true;
    };
    std::ranges::for_each(first, follow);
    for (std::size_t i = 0; i < queue.size(); ++i) std::ranges::for_each(onwards(queue[i]), follow);
    return found;
  }

  const Topology& topology_;
  std::vector<bool> down_;
  bool any_down_ = false;
};

}  // namespace

std::vector<TerminalId> cut_off_terminals(const Topology& topology, const FaultSchedule& schedule,
                                          std::uint64_t end) {
  const LivingNetwork network(topology, schedule, end);
  if (!network.any_down()) return {};
  TerminalId middle;
  std::size_t most = 0;
  for (const TerminalId terminal : topology.terminals()) {
    const std::vector<bool> reached = network.reached_from(terminal), reaching = network.reaching(terminal);
    std::size_t both = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) both += reached[i] && reaching[i] ? 1 : 0;
    if (both > most || !middle.valid()) middle = terminal;
    most = std::max(most, both);
    if (2 * most > topology.terminal_count()) break;
  }
  const std::vector<bool> reached = network.reached_from(middle), reaching = network.reaching(middle);
  std::vector<TerminalId> found;
  for (const TerminalId terminal : topology.terminals())
    if (terminal != middle && !(reached[terminal.index()] && reaching[terminal.index()]))
      found.push_back(terminal);
  return found;
}

}  // namespace faultline
