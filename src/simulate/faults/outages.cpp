// SPDX-License-Identifier: Apache-2.0
#include "simulate/faults/outages.h"

#include <utility>

namespace faultline {

Outages::Outages(const Topology& topology, const FaultSchedule& schedule) : by_channel_(schedule) {
  if (schedule.empty()) return;
  down_.resize(topology.channel_count());
  down_for_good_.resize(topology.channel_count());
  constexpr auto end = static_cast<std::uint64_t>(max_cycles);  // later changes are never queried
  for (const Outage& outage : schedule) {
    if (outage.from < end)
      changes_.push_back({static_cast<Time>(outage.from), false, outage.channel, outage.is_permanent()});
    if (outage.until < end)
      changes_.push_back({static_cast<Time>(outage.until), true, outage.channel, false});
  }
  const auto order = [](const Change& change) { return std::pair(change.at, change.channel); };
  std::ranges::sort(changes_, {}, order);
  std::ranges::sort(by_channel_, {},
                    [](const Outage& outage) { return std::pair(outage.channel, outage.from); });
}

bool Outages::finds_failure(ChannelId channel, Time after, Time before) const {
  const auto first =
      std::ranges::upper_bound(by_channel_, std::pair(channel, static_cast<std::uint64_t>(after)), {},
                               [](const Outage& outage) { return std::pair(outage.channel, outage.from); });
  return first != by_channel_.end() && first->channel == channel &&
         first->from < static_cast<std::uint64_t>(before);
}

}  // namespace faultline
