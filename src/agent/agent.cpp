// SPDX-License-Identifier: Apache-2.0
#include "faultline/agent/agent.h"

#include <algorithm>

namespace faultline {

void AgentFigures::add(const AgentFigures& other) {
  pairs += other.pairs;
  paths_open += other.paths_open;
  most_paths_open = std::max(most_paths_open, other.most_paths_open);
  fault_entries += other.fault_entries;
  permanent_entries += other.permanent_entries;
  most_fault_entries = std::max(most_fault_entries, other.most_fault_entries);
  reclaimed_entries += other.reclaimed_entries;
  refused_paths += other.refused_paths;
  forced_packets += other.forced_packets;
  if (!watched) watched = other.watched;
}

std::uint32_t AgentContext::unloaded_latency(const RouteOption& way) const {
  const std::uint32_t channels = std::max<std::uint32_t>(way.cost, 2), switches = channels - 1;
  return channels + switches * switch_cycles + packet_flits;
}

AgentMaker agent_maker(const Resolved<AgentKind>& agent) { return agent.kind().maker(agent.parameters()); }

}  // namespace faultline
