// SPDX-License-Identifier: Apache-2.0
// The selection `nearest` of routings that do not say how far their options have to go.
#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "support/effort.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing_support::network;
using testing_support::Network;
using testing_support::OnePair;

/// To the terminal from each switch, which counts, by repeated relaxation over all living channels.
std::vector<std::uint32_t> switches_to(const Topology& topology, const FaultSet& dead,
                                       TerminalId destination) {
  constexpr std::uint32_t far = 1'000'000;
  std::vector<std::uint32_t> switches(topology.switch_count(), far);
  for (const ChannelId channel : topology.ejection(destination))
    if (!dead.failed(channel)) switches[topology.source(channel).index()] = 1;
  for (std::size_t round = 0; round < topology.switch_count(); ++round)
    for (const ChannelId channel : topology.channels())
      if (topology.role(channel) == ChannelRole::network && !dead.failed(channel))
        switches[topology.source(channel).index()] = std::min(switches[topology.source(channel).index()],
                                                              switches[topology.target(channel).index()] + 1);
  return switches;
}

/// Of packets that do not meet.
SimulationSpec spec_of(Switching switching) {
  SimulationSpec spec;
  spec.selection = selection_rule(parse_compact("selection", "nearest"));
  spec.switches = switches_of(switching, {}, {});
  spec.injection.process = Injection::constant;
  spec.injection.load = 0.01;
  spec.injection.packet_flits = 4;
  spec.measurement.cycles = 20'000;
  return spec;
}

/// How many pairs would have more switches to go from a port that is nearest while nothing is dead.
std::size_t expect_fewest_switches(const Network& built, const FaultSet& dead, SimulationSpec spec) {
  const Topology& topology = *built.topology;
  const FaultSet none(topology);
  std::size_t misled = 0;
  for (const TerminalId destination : topology.terminals()) {
    const auto switches = switches_to(topology, dead, destination);
    const auto healthy = switches_to(topology, none, destination);
    for (const TerminalId source : topology.terminals()) {
      if (source == destination) continue;
      const auto ports = topology.injection(source);
      const auto by = [&](const std::vector<std::uint32_t>& from) {
        return [&](ChannelId port) { return from[topology.target(port).index()]; };
      };
      const std::uint32_t least = std::ranges::min(ports | std::views::transform(by(switches)));
      misled += by(switches)(std::ranges::min(ports, {}, by(healthy))) > least ? 1 : 0;
      const SimulationResult result = simulate(*built.relation, OnePair(source, destination), spec);
      EXPECT_GT(result.delivered, 5U);
      EXPECT_DOUBLE_EQ(result.hops_mean, least) << source.value() << " to " << destination.value();
    }
  }
  return misled;
}

/// Terminals with several ports inject at the one that is nearest to the destination, every time.
TEST(Nearest, InjectsWhereTheFewestSwitchesAreToGo) {
  for (const char* const topology : thinned<const char*>(
           {"switch-ring:n=6", "switch-ring:n=7,degree=3", "switch-clique:switches=5,terminals=6"}, 2))
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
      const Network built = network(topology, "shortest-path");
      expect_fewest_switches(built, FaultSet(*built.topology), spec_of(switching));
    }
}

TEST(Nearest, CountsTheSwitchesToGoWithoutDeadChannels) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "switch-ring:n=8"));
  FaultSet dead(*topology);
  dead.fail(*topology, LinkId(0));
  const Network built = network(topology, dead, "shortest-path");
  SimulationSpec spec = spec_of(Switching::cut_through);
  spec.faults.dead = dead;
  EXPECT_GT(expect_fewest_switches(built, dead, spec), 0U);
}

TEST(Nearest, CountsTheSwitchesToGoAfterARerouting) {
  const Network built = network("switch-ring:n=6", "shortest-path");
  SimulationSpec spec = spec_of(Switching::cut_through);
  spec.faults.reroutings = {
      {.at = 1, .relation = network(built.topology, FaultSet(*built.topology), "shortest-path").relation}};
  expect_fewest_switches(built, FaultSet(*built.topology), spec);
}

}  // namespace
}  // namespace faultline
