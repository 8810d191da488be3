// SPDX-License-Identifier: Apache-2.0
// Sources whose packets enter the network at the same switches: what is known about one holds for all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/topology/topology.h"

namespace faultline {

struct SourceGroups {
  std::vector<std::uint32_t> group_of;         ///< by terminal
  std::vector<std::vector<SwitchId>> entries;  ///< by group; none if an injection channel is dead

  SourceGroups() = default;
  SourceGroups(const Topology& topology, const FaultSet& dead) {
    std::map<std::vector<SwitchId>, std::uint32_t> numbers;
    for (const TerminalId terminal : topology.terminals()) {
      std::vector<SwitchId> own;
      const auto channels = topology.injection(terminal);
      if (std::ranges::none_of(channels, [&](ChannelId channel) { return dead.failed(channel); }))
        for (const ChannelId channel : channels) own.push_back(topology.target(channel));
      const auto [known, is_new] = numbers.emplace(own, static_cast<std::uint32_t>(entries.size()));
      if (is_new) entries.push_back(own);
      group_of.push_back(known->second);
    }
  }
};

}  // namespace faultline
