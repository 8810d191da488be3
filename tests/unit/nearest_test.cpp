// SPDX-License-Identifier: Apache-2.0
// The selection `nearest` of routings that do not say how far their options have to go.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing_support::network;
using testing_support::Network;
using testing_support::OnePair;

/// By repeated relaxation over all channels.
std::vector<std::uint32_t> switches_to(const Topology& topology, TerminalId destination) {
  constexpr std::uint32_t far = 1'000'000;
  std::vector<std::uint32_t> switches(topology.switch_count(), far);
  for (const ChannelId channel : topology.ejection(destination))
    switches[topology.source(channel).index()] = 1;
  for (std::size_t round = 0; round < topology.switch_count(); ++round)
    for (const ChannelId channel : topology.channels())
      if (topology.role(channel) == ChannelRole::network)
        switches[topology.source(channel).index()] = std::min(switches[topology.source(channel).index()],
                                                              switches[topology.target(channel).index()] + 1);
  return switches;
}

/// Terminals with several ports inject at the one that is nearest to the destination, every time.
TEST(Nearest, InjectsWhereTheFewestSwitchesAreToGo) {
  for (const char* const topology :
       {"switch-ring:n=8", "switch-ring:n=9,degree=3", "switch-clique:switches=5,terminals=10"}) {
    const Network built = network(topology, "shortest-path");
    for (const Switching switching : {Switching::cut_through, Switching::wormhole})
      for (const TerminalId destination : built.topology->terminals()) {
        const auto switches = switches_to(*built.topology, destination);
        const TerminalId source((destination.value() + 3) %
                                static_cast<std::uint32_t>(built.topology->terminal_count()));
        SimulationSpec spec;
        spec.selection = selection_rule(parse_compact("selection", "nearest"));
        spec.switches = switches_of(switching, {}, {});
        spec.injection.packet_flits = 4;
        spec.injection.load = 0.01;
        spec.injection.process = Injection::constant;  // no packet meets another
        spec.measurement.cycles = 20'000;
        std::uint32_t least = 1'000'000;
        for (const ChannelId channel : built.topology->injection(source))
          least = std::min(least, switches[built.topology->target(channel).index()]);
        const SimulationResult result = simulate(*built.relation, OnePair(source, destination), spec);
        ASSERT_GT(result.delivered, 5U);
        EXPECT_DOUBLE_EQ(result.hops_mean, least)
            << topology << ", " << source.value() << " to " << destination.value();
      }
  }
}

}  // namespace
}  // namespace faultline
