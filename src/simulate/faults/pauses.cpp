// SPDX-License-Identifier: Apache-2.0
#include "simulate/faults/pauses.h"

#include <algorithm>
#include <iterator>

namespace faultline {
namespace {

void add(std::vector<FaultEvent>& events, std::uint64_t from, std::uint64_t until,
         const std::vector<ChannelId>& channels) {
  if (from >= until) return;
  events.push_back({from, false, channels});
  if (until != Outage::forever) events.push_back({until, true, channels});
}

}  // namespace

FaultSchedule with_pauses(const Topology& topology, FaultSchedule outages, std::span<const Pause> pauses) {
  if (pauses.empty()) return outages;
  std::vector<ChannelId> injection;
  for (const TerminalId terminal : topology.terminals())
    std::ranges::copy(topology.injection(terminal), std::back_inserter(injection));
  std::vector<FaultEvent> events;
  for (const auto& [channel, from, until] : outages) add(events, from, until, {channel});
  for (const auto& [from, until] : pauses) add(events, from, until, injection);
  std::ranges::stable_sort(events, {}, &FaultEvent::cycle);
  return fault_schedule(topology, events);
}

}  // namespace faultline
