// SPDX-License-Identifier: Apache-2.0
// Terminals with two ports on a ring of switches, one of which fails during the run: packets that meet it
// turn back, and terminals continue through their other switch.
#include <gtest/gtest.h>

#include "faultline/routing/kind.h"
#include "faultline/simulate/simulate.h"
#include "faultline/topology/kind.h"
#include "faultline/verify/verify.h"

namespace faultline {
namespace {

TopologyPtr ring(const std::string& fields) {
  return build_topology(parse_compact("topology", "switch-ring:" + fields));
}

RelationPtr routed(const TopologyPtr& topology, const char* routing) {
  return build_relation(topology, FaultSet(*topology), parse_compact("routing", routing));
}

SimulationResult run(const TopologyPtr& topology, const char* routing, const FaultSchedule& outages,
                     Switching switching) {
  const RelationPtr relation = routed(topology, routing);
  const PatternPtr uniform = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  return simulate(*relation, *uniform,
                  {.injection = {.load = 0.1, .packet_flits = 8},
                   .switches = switches_of(switching),
                   .measurement = {.cycles = 24'000, .warmup = 12'000},
                   .faults = {.outages = outages}});
}

FaultSchedule dies_at(const TopologyPtr& topology, SwitchId at, std::uint64_t cycle) {
  FaultEvent event{.cycle = cycle, .up = false, .channels = {}};
  for (const ChannelId channel : topology->outputs(at)) event.channels.push_back(channel);
  for (const ChannelId channel : topology->inputs(at)) event.channels.push_back(channel);
  return fault_schedule(*topology, {event});
}

TEST(RingTurn, IsFreeOfDeadlockAndConnected) {
  for (const char* fields : {"n=5", "n=8", "n=7,degree=3", "n=5,terminals=11", "n=6,attachment=naive"})
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
      const TopologyPtr topology = ring(fields);
      const RelationPtr relation = routed(topology, "ring-turn");
      const Verdict verdict = verify(*relation, FaultSet(*topology), {.switching = switching});
      EXPECT_TRUE(verdict.deadlock_free) << fields;
      EXPECT_TRUE(verdict.connected()) << fields;
      EXPECT_TRUE(verdict.livelock_free()) << fields;
    }
}

TEST(RingTurn, TakesTheShorterWayWhileNothingFails) {
  const TopologyPtr topology = ring("n=9");
  const RelationPtr relation = routed(topology, "ring-turn");
  for (const TerminalId source : topology->terminals()) {
    const TerminalId destination((source.index() + 4) % 9);
    RouteOptions options;
    relation->inject(source, destination, options);
    EXPECT_GE(options.size(), 2U);  // both switches of the source
  }
}

TEST(RingTurn, KeepsItsThroughputWhenASwitchDies) {
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    const TopologyPtr topology = ring("n=10");
    const SimulationResult whole = run(topology, "ring-turn", {}, switching);
    const SimulationResult hurt =
        run(topology, "ring-turn", dies_at(topology, SwitchId(3), 5'000), switching);
    EXPECT_NEAR(whole.accepted, 0.1, 0.01);
    EXPECT_NEAR(hurt.accepted, whole.accepted, 0.01);
    EXPECT_FALSE(hurt.saturated);
    EXPECT_LT(hurt.in_flight, 100U);
    // Packets that do not know of the failure and cannot turn are dropped.
    const SimulationResult blind = run(topology, "up-down", dies_at(topology, SwitchId(3), 5'000), switching);
    EXPECT_LT(blind.accepted, 0.9 * whole.accepted);
    EXPECT_GT(blind.dropped.at("stuck"), 5 * (hurt.dropped.contains("stuck") ? hurt.dropped.at("stuck") : 1));
  }
}

TEST(RingTurn, NeedsARing) {
  const TopologyPtr clique =
      build_topology(parse_compact("topology", "switch-clique:switches=4,terminals=6"));
  EXPECT_THROW((void)routed(clique, "ring-turn"), Error);
}

}  // namespace
}  // namespace faultline
