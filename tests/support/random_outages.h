// SPDX-License-Identifier: Apache-2.0
// Random schedules of faults, from everything that the contract allows.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "faultline/base/random.h"
#include "faultline/fault/schedule.h"

namespace faultline::testing_support {

/// From one outage to many one after the other, in some cases touching the first cycle, the end or what comes
/// after it.
inline std::vector<Outage> random_outages_of(ChannelId channel, std::uint64_t cycles, RandomStream& random) {
  const std::uint32_t longest =
      std::array{2U, 20U, 150U, static_cast<std::uint32_t>(cycles)}[random.next_below(4)];
  std::vector<Outage> outages;
  std::uint64_t from = random.next_below(4) == 0 ? random.next_below(3)
                                                 : random.next_below(static_cast<std::uint32_t>(cycles));
  for (std::uint32_t left = 1 + random.next_below(3) * random.next_below(12); left != 0; --left) {
    const std::uint64_t until = from + 1 + random.next_below(longest);
    outages.push_back({channel, from, until});
    from = until + 1 + random.next_below(longest);
  }
  if (random.next_below(5) == 0) outages.back().until = Outage::forever;
  return outages;
}

/// Of channels of every role: `pieces` of them, or all channels of a switch or terminal at the same times.
inline FaultSchedule random_outages(const Topology& topology, std::uint32_t pieces, std::uint64_t cycles,
                                    RandomStream& random) {
  std::map<ChannelId, std::vector<Outage>> by_channel;
  const auto any_channel = [&] {
    return ChannelId(random.next_below(static_cast<std::uint32_t>(topology.channel_count())));
  };
  for (; pieces != 0; --pieces) {
    const ChannelId channel = any_channel();
    const std::vector<Outage> outages = random_outages_of(channel, cycles, random);
    std::vector<ChannelId> together{channel};
    if (random.next_below(4) == 0) {
      const SwitchId at(random.next_below(static_cast<std::uint32_t>(topology.switch_count())));
      together.assign(topology.outputs(at).begin(), topology.outputs(at).end());
      together.insert(together.end(), topology.inputs(at).begin(), topology.inputs(at).end());
    }
    for (const ChannelId one : together) {
      by_channel[one] = outages;
      for (Outage& outage : by_channel[one]) outage.channel = one;
    }
  }
  FaultSchedule schedule;
  for (const auto& [channel, outages] : by_channel)
    schedule.insert(schedule.end(), outages.begin(), outages.end());
  return schedule;
}

/// Of some terminals that have several injection channels, all or all but one fail for good, one after the
/// other: packets that have no other option become unreachable while others are still sent.
inline void lose_injection_channels(const Topology& topology, std::uint64_t cycles, RandomStream& random,
                                    FaultSchedule& schedule) {
  for (const TerminalId terminal : topology.terminals()) {
    const std::span<const ChannelId> channels = topology.injection(terminal);
    if (channels.size() < 2 || random.next_below(3) == 0) continue;
    const std::size_t kept = random.next_below(static_cast<std::uint32_t>(2 * channels.size()));
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (i == kept) continue;
      std::erase_if(schedule, [&](const Outage& outage) { return outage.channel == channels[i]; });
      schedule.push_back(
          {channels[i], random.next_below(static_cast<std::uint32_t>(cycles)), Outage::forever});
    }
  }
  std::ranges::sort(schedule, {},
                    [](const Outage& outage) { return std::pair(outage.channel, outage.from); });
}

}  // namespace faultline::testing_support
