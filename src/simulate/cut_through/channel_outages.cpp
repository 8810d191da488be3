// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/channel_outages.h"

#include <algorithm>
#include <tuple>

#include "simulate/cut_through/port_bits.h"
#include "simulate/measurement/timeline.h"

namespace faultline::cut_through {
namespace {

/// What goes down or comes up together at a switch or terminal.
struct Change {
  std::uint32_t owner;
  Time at;
  std::uint64_t ports;
};

std::uint64_t ports_of(std::span<const ChannelId> channels, ChannelId channel, std::uint32_t vcs) {
  const auto position = static_cast<std::uint32_t>(std::ranges::find(channels, channel) - channels.begin());
  return virtual_channels_at(position, vcs);
}

/// By owner and time: those of one owner and cycle as one. A channel does not change twice in a cycle.
std::vector<DownPorts> added_up(std::vector<Change> changes) {
  std::ranges::sort(changes, {}, [](const Change& change) { return std::tuple(change.owner, change.at); });
  std::vector<DownPorts> found;
  for (const Change& change : changes) {
    const bool is_first = found.empty() || found.back().owner != change.owner;
    const std::uint64_t before = is_first ? 0 : found.back().ports;
    if (is_first || found.back().at != change.at) found.push_back({change.at, change.owner, before});
    found.back().ports ^= change.ports;
  }
  return found;
}

}  // namespace

ChannelOutages::ChannelOutages(const RoutingRelation& relation, const SimulationSpec& spec, std::uint32_t vcs)
    : drops_(spec.faults.on_failure == OnFailure::drop) {
  const Topology& topology = relation.topology();
  const Time limit = Timeline::of(spec).limit;
  const auto in_run = [&](std::uint64_t cycle) {
    return static_cast<Time>(std::min(cycle, static_cast<std::uint64_t>(limit)));
  };
  std::vector<Change> of_switches, of_terminals;
  for (const auto& [channel, from, until] : spec.faults.outages) {
    // An outage that begins after the run still loses the packets on the channel at its end.
    spans_.push_back({channel, static_cast<Time>(std::min<std::uint64_t>(from, never)), in_run(until)});
    const bool injects = topology.role(channel) == ChannelRole::injection;
    const std::uint32_t owner =
        injects ? topology.terminal(channel).value() : topology.source(channel).value();
    const std::uint64_t ports =
        ports_of(injects ? topology.injection(topology.terminal(channel)) : topology.outputs(SwitchId(owner)),
                 channel, vcs);
    for (const Time at : {spans_.back().from, spans_.back().until}) {
      if (at >= limit) continue;
      (injects ? of_terminals : of_switches).push_back({owner, at, ports});
      last_change_ = std::max(last_change_, at);
    }
  }
  std::ranges::sort(spans_, {}, [](const Span& span) { return std::tuple(span.channel, span.from); });
  terminals_ = added_up(std::move(of_terminals));
  switches_ = added_up(std::move(of_switches));
  std::ranges::stable_sort(switches_, {}, &DownPorts::at);
}

std::vector<ChannelOutages::Span>::const_iterator ChannelOutages::first_after(ChannelId channel,
                                                                              Time time) const {
  return std::ranges::upper_bound(spans_, std::tuple(channel, time), {},
                                  [](const Span& span) { return std::tuple(span.channel, span.from); });
}

Time ChannelOutages::up_from(ChannelId channel, Time from) const {
  const auto after = first_after(channel, from);
  if (after == spans_.begin() || (after - 1)->channel != channel) return from;
  return std::max(from, (after - 1)->until);
}

bool ChannelOutages::loses(ChannelId channel, Time from, Time until) const {
  if (!drops_) return false;
  const auto after = first_after(channel, from);
  return after != spans_.end() && after->channel == channel && after->from < until;
}

}  // namespace faultline::cut_through
