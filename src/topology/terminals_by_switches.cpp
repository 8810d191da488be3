// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/terminals_by_switches.h"

#include <algorithm>

namespace faultline {

std::map<std::vector<SwitchId>, std::vector<TerminalId>> terminals_by_switches(const Topology& topology,
                                                                               ChannelRole role) {
  const bool sends = role == ChannelRole::injection;
  std::map<std::vector<SwitchId>, std::vector<TerminalId>> groups;
  for (const TerminalId terminal : topology.terminals()) {
    std::vector<SwitchId> switches;
    for (const ChannelId channel : sends ? topology.injection(terminal) : topology.ejection(terminal))
      switches.push_back(sends ? topology.target(channel) : topology.source(channel));
    std::ranges::sort(switches);
    groups[std::move(switches)].push_back(terminal);
  }
  return groups;
}

}  // namespace faultline
