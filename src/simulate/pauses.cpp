// SPDX-License-Identifier: Apache-2.0
#include "simulate/pauses.h"

#include <algorithm>

namespace faultline {
namespace {

/// Of a channel: one in place of those that overlap or touch. Sorted by channel, then by time.
void join(FaultSchedule& outages) {
  FaultSchedule joined;
  for (const Outage& outage : outages)
    if (!joined.empty() && joined.back().channel == outage.channel && outage.from <= joined.back().until)
      joined.back().until = std::max(joined.back().until, outage.until);
    else
      joined.push_back(outage);
  outages = std::move(joined);
}

}  // namespace

FaultSchedule with_pauses(const Topology& topology, FaultSchedule outages, std::span<const Pause> pauses) {
  if (pauses.empty()) return outages;
  for (const TerminalId terminal : topology.terminals())
    for (const ChannelId channel : topology.injection(terminal))
      for (const auto& [from, until] : pauses)
        if (from < until) outages.push_back({channel, from, until});
  std::ranges::sort(outages, [](const Outage& a, const Outage& b) {
    return a.channel != b.channel ? a.channel < b.channel : a.from < b.from;
  });
  join(outages);
  return outages;
}

}  // namespace faultline
