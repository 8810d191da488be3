// SPDX-License-Identifier: Apache-2.0
// Static faults with every topology and routing of the catalogue, under both switching models: nothing moves
// over what has failed, and nothing is lost if every pair is still connected.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faultline/routing/kind.h"
#include "faultline/simulate/simulate.h"
#include "faultline/topology/kind.h"
#include "study/fault_options.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

struct RoutedNetwork {
  std::string name;
  TopologyPtr topology;
  Description routing;
};

/// Every sample of every topology with every routing that fits it.
std::vector<RoutedNetwork> networks() {
  std::vector<RoutedNetwork> all;
  for (const TopologyKind* kind : topology_kinds())
    for (const Description& sample : samples_of(kind->info, "topology")) {
      const TopologyPtr topology = build_topology(sample);
      for (const RoutingKind* routing_kind : routing_kinds()) {
        const Description routing{
            .path = "routing", .kind = std::string(routing_kind->info.name), .fields = {}, .location = {}};
        if (if_it_fits([&] { return build_relation(topology, FaultSet(*topology), routing); }))
          all.push_back({topology->name() + " " + routing.kind, topology, routing});
      }
    }
  return all;
}

SimulationResult run(const RoutedNetwork& network, const ChosenFaults& faults, Switching switching) {
  const RelationPtr relation = build_relation(network.topology, faults.set, network.routing, switching);
  const PatternPtr pattern = build_pattern(*network.topology, 1, parse_compact("traffic", "uniform"));
  SimulationSpec spec;
  spec.switches = switches_of(switching);
  spec.injection.load = 0.3;
  spec.injection.packet_flits = 8;
  spec.measurement.cycles = 1500;
  spec.measurement.channel_load = true;
  return simulate(*relation, *pattern, spec);
}

void expect_sound(const RoutedNetwork& network, const ChosenFaults& faults, bool tolerated,
                  Switching switching) {
  const SimulationResult result = run(network, faults, switching);
  std::uint64_t dropped = 0;
  for (const auto& [reason, packets] : result.dropped) dropped += packets;
  EXPECT_EQ(result.generated, result.delivered + result.in_flight + dropped);
  EXPECT_FALSE(result.dropped.contains("stuck"));
  for (const ChannelId channel : network.topology->channels())
    if (faults.set.failed(channel)) {
      EXPECT_EQ(result.channel_flits[channel.index()], 0U) << network.topology->name(channel);
    }
  if (!tolerated) return;
  EXPECT_EQ(dropped, 0U);
  EXPECT_GT(result.delivered, 0U);
}

TEST(SlowStaticFaults, EveryTopologyAndRoutingTakesThem) {
  std::size_t tolerated = 0, too_many = 0;
  for (const RoutedNetwork& network : networks())
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
      const FaultSet none(*network.topology);
      if (!if_it_fits([&] { return build_relation(network.topology, none, network.routing, switching); }))
        continue;
      for (const char* unit : {"channel", "link", "switch"})
        for (const bool tolerated_only : {false, true}) {
          SCOPED_TRACE(fmt::format("{}, {}, {}, tolerated {}", network.name,
                                   switching == Switching::wormhole ? "wormhole" : "vct", unit,
                                   tolerated_only));
          const std::string count = tolerated_only ? "1" : "2";
          const StaticFaultOptions asked{
              {.unit = unit, .knowledge = "all", .source = "any"}, count, tolerated_only};
          try {
            expect_sound(network,
                         asked.choose(network.topology, network.routing, switching, 3, {.path = "simulate"}),
                         tolerated_only, switching);
            tolerated += tolerated_only ? 1 : 0;
          } catch (const Error& error) {  // no single fault is tolerated, or there are fewer components
            EXPECT_TRUE(error.parts().field == "simulate.tolerated-only" ||
                        error.parts().field == "simulate.faults")
                << error.what();
            ++too_many;
          }
        }
    }
  EXPECT_GT(tolerated, 20U);
  EXPECT_GT(tolerated, too_many / 4);
}

}  // namespace
}  // namespace faultline
