// SPDX-License-Identifier: Apache-2.0
// Relations that change during a run: against runs in which nothing changes, and against the path of a single
// packet, followed by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faultline/base/random.h"
#include "faultline/simulate/simulate.h"
#include "simulate/cut_through/model.h"
#include "simulate/faults/pauses.h"
#include "simulate/planes/engine.h"
#include "support/effort.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using namespace testing_support;

constexpr Switching models[] = {Switching::cut_through, Switching::wormhole};

SimulationSpec short_run(Switching switching) {
  SimulationSpec spec;
  spec.switches = switches_of(switching);
  spec.injection.load = 0.3;
  spec.injection.packet_flits = 8;
  spec.measurement.cycles = 3'000;
  spec.selection = selection("random");
  return spec;
}

FaultSchedule down_from(std::uint64_t cycle, const FaultSet& faults, const Topology& topology) {
  FaultSchedule outages;
  for (const ChannelId channel : topology.channels())
    if (faults.failed(channel)) outages.push_back({channel, cycle, Outage::forever});
  return outages;
}

std::uint64_t checksum(const Network& built, const SimulationSpec& spec) {
  return spec.switching() == Switching::cut_through
             ? cut_through::run_cycle_driven(*built.relation, *built.pattern, spec).checksum
             : wormhole::run_scalar(*built.relation, *built.pattern, spec).checksum;
}

TEST(Rerouting, ToTheSameRelationChangesNothing) {
  for (const char* name : {"fat-tree:k=2,n=3", "torus:radix=4x4", "switch-ring:n=8", "mikant:k=2,n=3"})
    for (const Switching switching : models) {
      const Network built = network(name, "shortest-path");
      const SimulationSpec spec = short_run(switching);
      SimulationSpec rerouted = spec;
      for (const std::uint64_t at : {1U, 2U, 500U, 1'234U})
        rerouted.faults.reroutings.push_back({at, built.relation});
      EXPECT_EQ(checksum(built, spec), checksum(built, rerouted)) << name;
    }
}

TEST(Rerouting, InTheFirstCycleIsTheOtherRelation) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "switch-ring:n=8"));
  FaultSet faults(*topology);
  faults.fail(*topology, SwitchId(3));
  const Network healthy = network(topology, FaultSet(*topology), "up-down");
  const Network without = network(topology, faults, "up-down");
  for (const Switching switching : models) {
    SimulationSpec spec = short_run(switching);
    const std::uint64_t expected = checksum(without, spec);
    EXPECT_NE(checksum(healthy, spec), expected);
    spec.faults.reroutings = {{0, without.relation}};
    EXPECT_EQ(checksum(healthy, spec), expected);
  }
}

/// The bubble rule of a ring comes and goes with the relation.
TEST(Rerouting, BringsItsRingRule) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=4x4"));
  const Network free = network(topology, FaultSet(*topology), "dimension-order:ring_rule=none");
  const Network ruled = network(topology, FaultSet(*topology), "dimension-order:ring_rule=bubble");
  ASSERT_FALSE(ruled.relation->bubble_rings().empty());
  SimulationSpec spec = short_run(Switching::cut_through);
  spec.injection.load = 0.8;
  spec.cut_through().buffers = Buffering::input;
  const std::uint64_t expected = checksum(ruled, spec);
  ASSERT_NE(checksum(free, spec), expected);
  spec.faults.reroutings = {{0, ruled.relation}};
  EXPECT_EQ(checksum(free, spec), expected);
}

// The fast engines keep what a relation offers by relative position.

TEST(Rerouting, ForgetsTheSetsOfTheLastRelation) {
  const Network before = network("hypercube:n=4", "duato:adaptive_vcs=13");
  const Network after = network(before.topology, FaultSet(*before.topology), "minimal-adaptive:vcs=14");
  ASSERT_FALSE(before.relation->offers_output_bits() || after.relation->offers_output_bits());
  SimulationSpec spec = short_run(Switching::cut_through);
  spec.selection = selection("most-free");
  spec.cut_through().buffers = Buffering::input;
  const std::uint64_t unchanged = checksum(before, spec);
  spec.faults.reroutings = {{1'000, after.relation}};
  const std::uint64_t expected = checksum(before, spec);
  EXPECT_NE(expected, unchanged);
  EXPECT_EQ(cut_through::run_event_driven(*before.relation, *before.pattern, spec).checksum, expected);
}

/// Of so many positions that each has its own.
TEST(Rerouting, ForgetsTheRoutesOfTheLastRelation) {
  const Network before = network("hypercube:n=9", "duato:adaptive_vcs=3");
  const Network after = network(before.topology, FaultSet(*before.topology), "minimal-adaptive:vcs=4");
  SimulationSpec spec = short_run(Switching::wormhole);
  spec.selection = selection("most-free");
  spec.virtual_channels = 4;
  spec.wormhole().atomic_vcs = true;
  spec.measurement.cycles = 200;
  const std::uint64_t unchanged = checksum(before, spec);
  spec.faults.reroutings = {{100, after.relation}};
  const std::uint64_t expected = checksum(before, spec);
  EXPECT_NE(expected, unchanged);
  ASSERT_FALSE(wormhole::planes::obstacle(*before.relation, spec));
  for (const wormhole::planes::Kernel* kernel : wormhole::planes::kernels())
    EXPECT_EQ(wormhole::planes::run(*kernel, *before.relation, *before.pattern, spec).checksum, expected)
        << kernel->name;
}

/// The channels of a packet that is routed by `before` at its first `hops` switches and by `after` from then
/// on; empty where it gets stuck. Each switch offers one option here.
std::vector<ChannelId> path(const RoutingRelation& before, const RoutingRelation& after, std::size_t hops,
                            TerminalId from, TerminalId to) {
  const Topology& topology = before.topology();
  RouteOptions options;
  before.inject(from, to, options);
  std::vector<ChannelId> channels;
  while (options.size() == 1) {
    const RouteOption taken = options.front();
    channels.push_back(taken.channel);
    if (topology.role(taken.channel) == ChannelRole::ejection) return channels;
    options.clear();
    const RoutingRelation& asked = channels.size() <= hops ? before : after;
    asked.route({topology.target(taken.channel), to, taken.channel, 0, taken.tag}, options);
  }
  return {};
}

/// y first, then x.
class ColumnsFirst final : public RoutingRelation {
 public:
  ColumnsFirst(TopologyPtr topology, std::uint32_t width)
      : RoutingRelation(topology), rows_first_(topology, width), width_(width) {}
  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint32_t here = state.at.value(), there = state.destination.value();
    RouteState to_the_row = state;
    if (here / width_ != there / width_)
      to_the_row.destination = TerminalId(there / width_ * width_ + here % width_);
    rows_first_.route(to_the_row, options);
  }

 private:
  DimensionOrder rows_first_;
  std::uint32_t width_;
};

/// Every moment of a packet's path along a mesh, while the routing changes from rows first to columns first.
TEST(Rerouting, APacketGoesOnByTheRelationThatItFinds) {
  const TopologyPtr topology = mesh(4, 4);
  const RelationPtr rows = std::make_shared<DimensionOrder>(topology, 4);
  const RelationPtr columns = std::make_shared<ColumnsFirst>(topology, 4);
  const TerminalId from(0), to(15);
  const OnePair pattern(from, to);
  for (const Switching switching : models) {
    SimulationSpec spec = short_run(switching);
    spec.injection.process = Injection::constant;
    spec.injection.load = 0.004;
    spec.measurement.warmup = 0;
    spec.measurement.packets = 1;
    spec.measurement.cycles = 2'400;
    spec.measurement.channel_load = true;
    spec.switches = switches_of(switching, {.buffers = Buffering::input});
    std::size_t changed_paths = 0, hops = 0;
    const auto flits = [&](const std::vector<ChannelId>& channels) {
      std::vector<std::uint64_t> all(topology->channel_count());
      for (const ChannelId channel : channels) all[channel.index()] += spec.injection.packet_flits;
      return all;
    };
    const std::uint64_t start = simulate(*rows, pattern, spec).cycles;
    ASSERT_LT(start, 2'400U);
    for (std::uint64_t at = start > 120 ? start - 120 : 0; at < start; ++at) {
      spec.faults.reroutings = {{at, columns}};
      const SimulationResult result = simulate(*rows, pattern, spec);
      ASSERT_EQ(result.delivered, 1U) << at;
      // The number of switches passed at the time of the change never decreases with later changes.
      while (hops <= 8 && flits(path(*rows, *columns, hops, from, to)) != result.channel_flits) ++hops;
      ASSERT_LE(hops, 8U) << "cycle " << at;
      changed_paths += hops > 0 && hops < 4 ? 1 : 0;
    }
    EXPECT_GE(hops, 3U);
    EXPECT_GT(changed_paths, 0U);
  }
}

/// If all switches learn at once what is down, nothing waits at it, and what can arrive does.
TEST(Rerouting, AtTheMomentOfTheFailureLeavesNobodyWaiting) {
  const std::uint64_t seeds = effort(20U, 4U);
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    for (const Switching switching : models) {
      const TopologyPtr topology = build_topology(parse_compact("topology", "switch-ring:n=10"));
      const SwitchId gone(static_cast<std::uint32_t>(mix(seed, 0, 7) % topology->switch_count()));
      FaultSet faults(*topology);
      faults.fail(*topology, gone);
      const Network healthy = network(topology, FaultSet(*topology), "up-down");
      const Network without = network(topology, faults, "up-down");
      SimulationSpec spec = short_run(switching);
      spec.seed = seed;
      spec.injection.load = 0.05;
      spec.measurement.cycles = 6'000;
      spec.switches = switches_of(switching, {.buffers = Buffering::input});
      const std::uint64_t at = 1'000 + mix(seed, 0, 8) % 1'000;
      spec.faults.outages = down_from(at, faults, *topology);
      spec.faults.reroutings = {{at, without.relation}};
      const SimulationResult result = simulate(*healthy.relation, *healthy.pattern, spec);
      SCOPED_TRACE(fmt::format("seed {}, switch {} in cycle {}", seed, gone.value(), at));
      EXPECT_FALSE(result.saturated);
      EXPECT_LT(result.in_flight, 15U);
      // Those that were in the switch, or on their way to it, when it failed.
      const std::uint64_t lost = result.generated - result.delivered - result.in_flight;
      EXPECT_LT(lost, 12U);
      EXPECT_EQ(lost, result.dropped.contains("stuck") ? result.dropped.at("stuck") : 0);
    }
}

/// Packets for a terminal that is disconnected after their generation are dropped where they wait.
TEST(Rerouting, WhatCannotArriveAnyMoreIsDroppedAtItsSource) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=3"));
  FaultSet faults(*topology);
  faults.fail(*topology, TerminalId(2));
  const Network healthy = network(topology, FaultSet(*topology), "shortest-path");
  const Network without = network(topology, faults, "shortest-path");
  for (const Switching switching : models) {
    SimulationSpec spec = short_run(switching);
    spec.measurement.warmup = 0;
    spec.injection.load = 0.8;
    spec.faults.outages = down_from(100, faults, *topology);
    spec.faults.reroutings = {{1'500, without.relation}};
    const SimulationResult result = simulate(*healthy.relation, *healthy.pattern, spec);
    EXPECT_GT(result.dropped.at("unreachable"), 100U);
    ASSERT_FALSE(result.throughput.empty());
    EXPECT_EQ(result.throughput.front().from, 0U);
    EXPECT_EQ(result.throughput.back().until, 3'000U);
    double flits = 0;
    for (const auto& [from, until, accepted] : result.throughput)
      flits += accepted * static_cast<double>(until - from) * 3;
    EXPECT_NEAR(flits, static_cast<double>(result.delivered) * 8, 1e-6);
    EXPECT_GT(result.throughput.back().accepted, 0.1);  // terminals 0 and 1 go on
  }
}

/// A change after the end of the run frees no packet.
TEST(Rerouting, AfterTheEndHidesNoDeadlock) {
  const TopologyPtr ring = one_way_ring(4);
  const Network built{ring, std::make_shared<RoundTheRing>(ring, false),
                      build_pattern(*ring, 1, parse_compact("traffic", "uniform"))};
  for (const Switching switching : models) {
    SimulationSpec spec = short_run(switching);
    spec.injection.load = 1;
    spec.switches = switches_of(switching, {.buffers = Buffering::input});
    ASSERT_TRUE(simulate(*built.relation, *built.pattern, spec).deadlock);
    spec.faults.reroutings = {{100'000, built.relation}};
    EXPECT_TRUE(simulate(*built.relation, *built.pattern, spec).deadlock);
    spec.faults.outages = {{ChannelId(0), 200'000, Outage::forever}};
    EXPECT_TRUE(simulate(*built.relation, *built.pattern, spec).deadlock);
  }
}

TEST(Rerouting, IsRefusedWhereItDoesNotFit) {
  const Network built = network("mesh:radix=3", "dimension-order");
  const Network other = network("mesh:radix=3", "dimension-order");
  const Network tagged = network(built.topology, FaultSet(*built.topology), "valiant");
  SimulationSpec spec = short_run(Switching::cut_through);
  for (const std::vector<Rerouting>& reroutings :
       {std::vector<Rerouting>{{1, other.relation}}, std::vector<Rerouting>{{1, tagged.relation}},
        std::vector<Rerouting>{{1, nullptr}},
        std::vector<Rerouting>{{5, built.relation}, {5, built.relation}}}) {
    spec.faults.reroutings = reroutings;
    EXPECT_THROW((void)simulate(*built.relation, *built.pattern, spec), Error);
  }
}

// ---- networks that pause while they are reconfigured

TEST(Pause, NothingIsInjectedInItAndNothingIsLost) {
  const Network built = network("mesh:radix=4x4", "dimension-order");
  for (const Switching switching : models) {
    SimulationSpec spec = short_run(switching);
    spec.measurement.warmup = 0;
    const SimulationResult without = simulate(*built.relation, *built.pattern, spec);
    const Pause pause{1'000, 2'000};
    spec.faults.pauses = {pause};
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    constexpr std::uint64_t drained = 300;  // the time of the longest path at this load
    std::size_t quiet = 0;
    for (const ThroughputBin& bin : result.throughput) {
      const bool inside = bin.from >= pause.from + drained && bin.until <= pause.until;
      const bool before = bin.from >= drained && bin.until <= pause.from;
      const bool outside = before || bin.from >= pause.until + drained;
      if (inside) {
        EXPECT_EQ(bin.accepted, 0) << bin.from;
      }
      if (outside) {
        EXPECT_GT(bin.accepted, 0) << bin.from;
      }
      quiet += inside ? 1 : 0;
    }
    EXPECT_GT(quiet, 5U);
    EXPECT_EQ(result.generated, without.generated);
    EXPECT_EQ(result.generated, result.delivered + result.in_flight);
    EXPECT_TRUE(result.dropped.empty());
  }
}

TEST(Pause, JoinsOutagesThatItMeets) {
  const TopologyPtr topology = mesh(2, 1);
  const ChannelId first = topology->injection(TerminalId(0)).front();
  const ChannelId second = topology->injection(TerminalId(1)).front();
  const FaultSchedule joined = with_pauses(*topology, {{first, 100, 200}, {second, 400, 500}},
                                           std::vector<Pause>{{150, 300}, {300, 350}});
  const FaultSchedule expected{{first, 100, 350}, {second, 150, 350}, {second, 400, 500}};
  EXPECT_EQ(joined, expected);
}

TEST(Pause, TakesNoPacketOffAChannel) {
  const Network built = network("mesh:radix=2x2", "dimension-order");
  SimulationSpec spec = short_run(Switching::cut_through);
  spec.faults.pauses = {{100, 200}};
  spec.faults.on_failure = OnFailure::drop;
  EXPECT_THROW((void)simulate(*built.relation, *built.pattern, spec), Error);
  spec.faults.on_failure = OnFailure::complete;
  EXPECT_NO_THROW((void)simulate(*built.relation, *built.pattern, spec));
  spec.faults.pauses = {{200, 100}};
  EXPECT_THROW((void)simulate(*built.relation, *built.pattern, spec), Error) << "it ends before it begins";
  spec.faults.pauses = {{100, Outage::forever}};
  EXPECT_THROW((void)simulate(*built.relation, *built.pattern, spec), Error) << "it never ends";
}

}  // namespace
}  // namespace faultline
