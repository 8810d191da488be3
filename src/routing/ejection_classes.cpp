// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/ejection_classes.h"

#include <map>

#include "base/sort_unique.h"

namespace faultline {

EjectionClasses::EjectionClasses(const Topology& topology, const FaultSet& known) {
  known.require_of(topology, "known");
  std::map<std::vector<SwitchId>, std::uint32_t> numbers;
  for (const TerminalId terminal : topology.terminals()) {
    std::vector<SwitchId> at;
    for (const ChannelId channel : topology.ejection(terminal))
      if (!known.failed(channel)) at.push_back(topology.source(channel));
    sort_unique(at);
    const auto [entry, is_new] = numbers.emplace(at, static_cast<std::uint32_t>(switches.size()));
    if (is_new) switches.push_back(std::move(at));
    class_of.push_back(entry->second);
  }
}

}  // namespace faultline
