// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulate/cut_through/event_driven_run.h"
#include "simulate/switches/widest_switch.h"

namespace faultline::cut_through {
namespace {

/// Of each channel: those of the relation, and the lane of control packets.
std::uint32_t virtual_channels(const RoutingRelation& relation, const SimulationSpec& spec) {
  return relation.virtual_channels() + (spec.cut_through().agents ? 1U : 0U);
}

}  // namespace

bool fits_event_driven(const RoutingRelation& relation, const SimulationSpec& spec) {
  if (!spec.speedup.none()) return false;
  const std::uint32_t vcs = virtual_channels(relation, spec);
  if (vcs > 32 && spec.cut_through().agents) return false;  // a set of them is a word
  const Topology& topology = relation.topology();
  const auto few_injectors = [&](TerminalId terminal) {
    return topology.injection(terminal).size() * vcs <= 64;
  };
  return widest_switch(topology) * vcs <= max_ports &&
         std::ranges::all_of(topology.terminals(), few_injectors);
}

Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  const Run run{relation, pattern, spec, progress, log};
  const std::size_t ports = widest_switch(relation.topology()) * virtual_channels(relation, spec);
  if (ports <= 8) return run_with_8_ports(run);
#ifndef FAULTLINE_CHECKS  // with sanitizers an engine for a number of ports takes a minute to compile
  if (ports <= 16) return run_with_16_ports(run);
  if (ports <= 32) return run_with_32_ports(run);
#endif
  if (ports <= 64) return run_with_64_ports(run);
#ifndef FAULTLINE_CHECKS
  if (ports <= 96) return run_with_96_ports(run);
  if (ports <= 128) return run_with_128_ports(run);
#endif
  return run_with_256_ports(run);
}

}  // namespace faultline::cut_through
