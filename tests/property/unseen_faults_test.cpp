// SPDX-License-Identifier: Apache-2.0
// Simulated packets behave as the classes of their pairs say, whatever switches know of the dead channels: in
// both switching models, and both engines of the cut-through model.
#include <gtest/gtest.h>

#include "faultline/fault/components.h"
#include "faultline/routing/pair_classes.h"
#include "faultline/simulate/simulate.h"
#include "simulate/cut_through/model.h"
#include "simulate/faults/lossy.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/simulate_support.h"
#include "support/tiny_relation.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing_support::OnePair;

SimulationSpec few_packets(Switching switching, std::uint64_t seed) {
  SimulationSpec spec;
  spec.switches = switches_of(switching);
  spec.injection.packet_flits = 2;
  spec.injection.load = 0.02;
  spec.measurement.cycles = 4000;
  spec.measurement.warmup = 100;
  spec.seed = seed;
  return spec;
}

std::uint64_t dropped(const SimulationResult& result, const std::string& reason) {
  const auto found = result.dropped.find(reason);
  return found == result.dropped.end() ? 0 : found->second;
}

void expect_fares_as(PairClass expected, const SimulationResult& result, bool unknowing) {
  const std::uint64_t unreachable = dropped(result, "unreachable"), stuck = dropped(result, "stuck"),
                      lost = dropped(result, "dead_channel");
  EXPECT_EQ(result.generated, result.delivered + result.in_flight + unreachable + stuck + lost);
  EXPECT_EQ(unreachable, expected == PairClass::refused ? result.generated : 0U);
  EXPECT_TRUE(expected > PairClass::livelock || stuck + lost == 0);
  EXPECT_TRUE(unknowing || lost == 0);
  EXPECT_TRUE(expected != PairClass::served || result.delivered + 3 >= result.generated);
}

struct Seen {
  int served = 0, refused = 0, stuck = 0, lost = 0;
};

void run_pairs(const std::shared_ptr<const TinyRelation>& healthy, const FaultSet& dead, Knowledge knowledge,
               SourceRole role, Switching switching, std::uint64_t seed, Seen& seen) {
  const RelationPtr relation = admissible_relation(healthy, {dead, knowledge, role});
  const TerminalId destination(0);
  const DestinationStates plays = enumerate_plays(*relation, destination, dead);
  const std::vector<PairClass> classes = classes_of_states(plays);
  for (const TerminalId source : healthy->topology().terminals()) {
    if (source == destination) continue;
    const PairClass expected = class_of_pair(plays, classes, source, role);
    SimulationSpec spec = few_packets(switching, seed);
    if (knowledge.is_none()) spec.faults.unseen = dead;
    const SimulationResult result = simulate(*relation, OnePair(source, destination), spec);
    if (result.deadlock) continue;  // these relations may
    expect_fares_as(expected, result, knowledge.is_none());
    seen.served += expected == PairClass::served;
    seen.refused += expected == PairClass::refused;
    seen.stuck += dropped(result, "stuck") != 0;
    seen.lost += dropped(result, "dead_channel") != 0;
  }
}

TEST(UnseenFaults, PacketsFareAsTheirPairsAreClassed) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= effort(120U, 15U) && !testing::Test::HasFailure(); ++seed) {
    TinyNetworks networks(seed);
    const auto relation = networks.draw();
    const FaultSet dead = networks.draw_dead(relation->topology());
    if (relation->topology().terminal_count() < 2) continue;
    for (const Knowledge knowledge :
         {Knowledge::none(), Knowledge::neighbours(), Knowledge::within(2), Knowledge::all()})
      for (const SourceRole role : {SourceRole::any, SourceRole::plan})
        for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
          SCOPED_TRACE("seed " + std::to_string(seed) + ", knowledge " + to_string(knowledge) + ", source " +
                       std::string(to_string(role)) + (switching == Switching::wormhole ? ", wormhole" : ""));
          run_pairs(relation, dead, knowledge, role, switching, seed, seen);
        }
  }
  EXPECT_GT(seen.served, effort(100, 10));
  EXPECT_GT(seen.refused, effort(100, 10));
  EXPECT_GT(seen.stuck, effort(20, 1));
  EXPECT_GT(seen.lost, effort(20, 1));
}

TEST(UnseenFaults, BothCutThroughEnginesLoseTheSamePackets) {
  std::uint64_t lost = 0;
  for (const char* name : {"fat-tree:k=4,n=2", "ft-ruft-222:k=2,n=3", "torus:radix=4x4", "mesh:radix=3x3"})
    for (const FaultScope scope : {FaultScope::network, FaultScope::terminal}) {
      const auto network = testing_support::network(name);
      const FaultComponents components(network.topology, FaultUnit::channel, scope);
      FaultSet dead(*network.topology);
      for (std::uint32_t i = 0; i < 3; ++i)
        dead.fail(ChannelId(components.channels(7 * i % components.count()).front()));
      const Lossy relation(*network.relation, dead);
      SimulationSpec spec{.injection = {.load = 0.3, .packet_flits = 16}, .measurement = {.cycles = 3000}};
      spec.measurement.warmup = 500;
      spec.faults.unseen = dead;
      const auto events = cut_through::run_event_driven(relation, *network.pattern, spec, {}, nullptr);
      const auto cycles = cut_through::run_cycle_driven(relation, *network.pattern, spec, {}, nullptr);
      testing_support::expect_equal(events, cycles);
      lost += dropped(events.result, "dead_channel");
      EXPECT_EQ(dropped(events.result, "stuck"), 0U);
    }
  EXPECT_GT(lost, 100U);
}

}  // namespace
}  // namespace faultline
