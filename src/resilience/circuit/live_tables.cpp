// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/live_tables.h"

#include <algorithm>
#include <map>

#include "base/sort_unique.h"

namespace faultline::survival {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// The component that each switch is, or none; empty where switches do not fail.
std::vector<std::uint32_t> component_of_switch(const FaultComponents& components) {
  const Topology& topology = components.topology();
  std::vector<std::uint32_t> result;
  if (!components.units().contains(FaultUnit::switch_)) return result;
  result.resize(topology.switch_count(), none);
  for (std::uint32_t component = 0; component < components.count(); ++component)
    if (components.unit(component) == FaultUnit::switch_) result[components.member(component)] = component;
  return result;
}

}  // namespace

LiveTables live_tables(const FaultComponents& components) {
  const Topology& topology = components.topology();
  LiveTables tables;
  tables.all = topology.terminal_count();
  const std::vector<std::uint32_t> component_of = component_of_switch(components);
  if (component_of.empty()) return tables;
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>, std::uint32_t> groups;
  for (const TerminalId terminal : topology.terminals()) {
    std::vector<std::uint32_t> injecting, ejecting;
    for (const ChannelId channel : topology.injection(terminal))
      injecting.push_back(component_of[topology.target(channel).index()]);
    for (const ChannelId channel : topology.ejection(terminal))
      ejecting.push_back(component_of[topology.source(channel).index()]);
    sort_unique(injecting);
    sort_unique(ejecting);
    ++groups[{injecting, ejecting}];
  }
  std::vector<std::vector<std::uint32_t>> groups_of(components.count());
  for (const auto& [attached, terminals] : groups) {
    const auto& [injecting, ejecting] = attached;
    std::vector<std::uint32_t> switches = injecting;
    switches.insert(switches.end(), ejecting.begin(), ejecting.end());
    sort_unique(switches);
    for (const std::uint32_t component : switches)
      groups_of[component].push_back(static_cast<std::uint32_t>(tables.terminals.size()));
    tables.switches.add(switches);
    tables.injecting.add(injecting);
    tables.ejecting.add(ejecting);
    tables.terminals.push_back(terminals);
  }
  for (const auto& list : groups_of) tables.groups_of.add(list);
  return tables;
}

}  // namespace faultline::survival
