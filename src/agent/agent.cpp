// SPDX-License-Identifier: Apache-2.0
#include "faultline/agent/agent.h"

#include <algorithm>

#include "agent/path_of.h"

namespace faultline {

void AgentFigures::add(const AgentFigures& other) {
  pairs += other.pairs;
  paths_open += other.paths_open;
  max_paths_open = std::max(max_paths_open, other.max_paths_open);
  fault_entries += other.fault_entries;
  permanent_entries += other.permanent_entries;
  max_fault_entries = std::max(max_fault_entries, other.max_fault_entries);
  reclaimed_entries += other.reclaimed_entries;
  refused_paths += other.refused_paths;
  forced_packets += other.forced_packets;
  if (!watched) watched = other.watched;
}

namespace {

/// Cycles beyond the first that the channels take, from an injection option on.
std::uint32_t further_cycles(const RoutingRelation& relation, const RouteOption& way,
                             TerminalId destination) {
  const auto further = [&](ChannelId channel) {
    return std::max(1U, relation.topology().fly_cycles(channel)) - 1;
  };
  std::uint32_t cycles = further(way.channel);
  for (const ChannelId channel : path_of(relation, way, destination)) cycles += further(channel);
  return cycles;
}

}  // namespace

std::uint32_t AgentContext::unloaded_latency(const RouteOption& way, TerminalId destination) const {
  const std::uint32_t channels = std::max<std::uint32_t>(way.cost, 2), switches = channels - 1;
  const std::uint32_t further = has_slow_channels ? further_cycles(relation, way, destination) : 0;
  return channels + further + switches * switch_cycles + packet_flits;
}

AgentMaker agent_maker(const Resolved<AgentKind>& agent) { return agent.kind().maker(agent.parameters()); }

}  // namespace faultline
