// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/channel_outages.h"

#include <algorithm>
#include <tuple>

#include "simulate/measurement/timeline.h"

namespace faultline::cut_through {
ChannelOutages::ChannelOutages(const Topology& topology, const SimulationSpec& spec)
    : drops_(spec.faults.on_failure == OnFailure::drop) {
  const Time limit = Timeline::of(spec).limit;
  const auto in_run = [&](std::uint64_t cycle) {
    return static_cast<Time>(std::min(cycle, static_cast<std::uint64_t>(limit)));
  };
  for (const Outage& outage : spec.faults.outages) {
    const auto& [channel, from, until] = outage;
    // An outage that begins after the run still loses the packets on the channel at its end.
    spans_.push_back({channel, static_cast<Time>(std::min<std::uint64_t>(from, never)),
                      outage.is_permanent() ? never : in_run(until)});
    const bool injects = topology.role(channel) == ChannelRole::injection;
    const std::uint32_t owner =
        injects ? topology.terminal(channel).value() : topology.source(channel).value();
    const std::span<const ChannelId> channels =
        injects ? topology.injection(topology.terminal(channel)) : topology.outputs(SwitchId(owner));
    const auto position = static_cast<std::uint32_t>(std::ranges::find(channels, channel) - channels.begin());
    for (const Time at : {spans_.back().from, spans_.back().until}) {
      if (at >= limit) continue;
      (injects ? terminals_ : switches_).push_back({at, owner, position, outage.is_permanent()});
      last_change_ = std::max(last_change_, at);
    }
  }
  std::ranges::sort(spans_, {}, [](const Span& span) { return std::tuple(span.channel, span.from); });
  std::ranges::sort(terminals_, {},
                    [](const ChannelChange& change) { return std::tuple(change.owner, change.at); });
  std::ranges::sort(switches_, {},
                    [](const ChannelChange& change) { return std::tuple(change.at, change.owner); });
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

Time ChannelOutages::down_for_good_from(ChannelId channel) const {
  const auto after = first_after(channel, never);
  const bool has_any = after != spans_.begin() && (after - 1)->channel == channel;
  return has_any && (after - 1)->until == never ? (after - 1)->from : never;
}

bool ChannelOutages::loses(ChannelId channel, Time from, Time until) const {
  if (!drops_) return false;
  const auto after = first_after(channel, from);
  return after != spans_.end() && after->channel == channel && after->from < until;
}

}  // namespace faultline::cut_through
