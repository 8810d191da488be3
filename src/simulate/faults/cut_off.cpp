// SPDX-License-Identifier: Apache-2.0
#include "simulate/faults/cut_off.h"

#include <algorithm>

#include "faultline/fault/living_network.h"

namespace faultline {
namespace {

FaultSet down_in(const Topology& topology, const FaultSchedule& schedule, std::uint64_t cycle) {
  FaultSet down(topology);
  for (const ChannelId channel : channels_down_in(schedule, cycle)) down.fail(channel);
  return down;
}

}  // namespace

std::vector<TerminalId> cut_off_terminals(const Topology& topology, const FaultsInTime& faults,
                                          std::uint64_t end) {
  if (end == 0) return {};
  FaultSet down = down_in(topology, faults.outages, end - 1);
  if (down.empty()) return {};
  if (faults.dead)
    for (const ChannelId channel : topology.channels())
      if (faults.dead->failed(channel)) down.fail(channel);
  const LivingNetwork network(topology, down);
  TerminalId middle;
  std::size_t most = 0;
  for (const TerminalId terminal : network.representatives()) {
    const std::vector<bool> reached = network.reached_from(terminal), reaching = network.reaching(terminal);
    std::size_t both = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) both += reached[i] && reaching[i] ? 1 : 0;
    if (both > most || !middle.valid()) middle = terminal;
    most = std::max(most, both);
  }
  const std::vector<bool> reached = network.reached_from(middle), reaching = network.reaching(middle);
  std::vector<TerminalId> found;
  for (const TerminalId terminal : topology.terminals())
    if (terminal != middle && !(reached[terminal.index()] && reaching[terminal.index()]))
      found.push_back(terminal);
  return found;
}

}  // namespace faultline
