// SPDX-License-Identifier: Apache-2.0
// The event-driven engine against the cycle-driven one when sources learn and terminals re-inject packets,
// while channels go down and come up: every packet is delivered in the same cycle, or lost in both, and
// sources have learned the same.
#include <gtest/gtest.h>

#include "faultline/agent/agent.h"
#include "faultline/routing/admissible.h"
#include "simulate/cut_through/model.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/random_cut_through.h"

namespace faultline {
namespace {

using namespace testing_support;

/// Relations under which terminals re-inject packets that were taken out of the network.
Configuration multistep(std::uint64_t seed) {
  RandomStream random(seed, 4);
  constexpr std::array topologies{"torus:radix=4x4", "torus:radix=5x3",  "mesh:radix=4x5",
                                  "hypercube:n=4",   "fat-tree:k=2,n=3", "fat-tree:k=4,n=2"};
  constexpr std::array routings{"ft-drb", "ft-drb:adaptive_vcs=0", "ft-drb:paths=3",
                                "ft-drb:adaptive_vcs=2,paths=8", "drb"};
  return configured({one_of(random, topologies), one_of(random, routings)}, random, seed);
}

/// Large enough for several threads to share it.
Configuration large(std::uint64_t seed) {
  RandomStream random(seed, 5);
  Configuration configuration = configured({"torus:radix=16x16", "ft-drb"}, random, seed);
  SimulationSpec& spec = configuration.spec;
  spec.injection.packet_flits = 1;
  spec.injection.packet_mix.clear();
  spec.injection.load = one_of(random, std::array{0.3, 0.6});
  spec.measurement.cycles = effort(300, 100);
  spec.measurement.warmup = 10;
  spec.measurement.packets_per_source = 0;
  spec.cut_through().routing_cycles = 4;
  spec.threads = 2 + random.next_below(2);
  return configuration;
}

Configuration any_relation_with_agents(std::uint64_t seed) {
  RandomStream random(seed, 6);
  return random_relation(seed, random);
}

struct AgentFates {
  std::uint64_t delivered = 0, lost = 0, sent_again = 0, notified = 0, control_lost = 0;
};

struct AgentFamily {
  const char* name;
  Configuration (*draw)(std::uint64_t seed);
  std::uint64_t seeds;

  friend void PrintTo(const AgentFamily& family, std::ostream* out) { *out << family.name; }
};

std::pair<TerminalId, TerminalId> random_pair(const Topology& topology, RandomStream& random) {
  const auto terminals = static_cast<std::uint32_t>(topology.terminal_count());
  const std::uint32_t source = random.next_below(terminals);
  const std::uint32_t destination = (source + 1 + random.next_below(terminals - 1)) % terminals;
  return {TerminalId(source), TerminalId(destination)};
}

void add_agents(SimulationSpec& spec, const Topology& topology, RandomStream& random) {
  constexpr std::array agents{"ft-drb", "ft-drb:open=7,lower=80", "ft-drb:attempts=0,table=2",
                              "drb",    "last-latency",           "last-latency:explore=0"};
  spec.cut_through().buffers = Buffering::automatic;
  spec.cut_through().agents =
      SourceAgents{.maker = agent_maker(parse_compact("agent", one_of(random, agents))),
                   .reaction_cycles = one_of(random, std::array{0U, 1U, 4U, 60U}),
                   .control_flits = one_of(random, std::array{1U, 1U, 3U, 20U}),
                   .own_lanes = random.next_below(3) != 0,
                   .watched = random_pair(topology, random)};
  spec.measurement.channel_load = random.next_below(2) == 0;
}

/// Flits granted to channels that leave switches are those that went through the switches.
void expect_loads_of_all_packets(const SimulationResult& result, const Topology& topology) {
  if (result.channel_flits.empty()) return;
  std::uint64_t left_switches = 0;
  for (const ChannelId channel : topology.channels())
    if (topology.role(channel) != ChannelRole::injection)
      left_switches += result.channel_flits[channel.index()];
  EXPECT_EQ(left_switches, result.flit_hops + (result.control ? result.control->flit_hops : 0));
}

/// Some or all ejection channels of a switch fail for good: in time, or from the start, as its neighbours
/// know.
void disconnect_terminals(Configuration& configuration, RandomStream& random) {
  const RelationPtr relation = configuration.built.relation;
  const Topology& topology = relation->topology();
  FaultsInTime& faults = configuration.spec.faults;
  FaultSet dead(topology);
  const SwitchId at(random.next_below(static_cast<std::uint32_t>(topology.switch_count())));
  for (const ChannelId channel : topology.outputs(at)) {
    if (topology.role(channel) != ChannelRole::ejection || random.next_below(3) == 0) continue;
    std::erase_if(faults.outages, [&](const Outage& outage) { return outage.channel == channel; });
    if (random.next_below(2) == 0)
      faults.outages.push_back({channel, random.next_below(400), Outage::forever});
    else
      dead.fail(channel);
  }
  if (dead.empty()) return;
  faults.dead = dead;
  configuration.built.relation = admissible_relation(relation, {.dead = dead});
}

void run_both_with_agents(Configuration configuration, std::uint64_t seed, AgentFates& fates) {
  RandomStream random(seed, 8);
  SimulationSpec& asked = configuration.spec;
  const Topology& topology = configuration.built.relation->topology();
  if (random.next_below(6) != 0)
    asked.faults.outages =
        random_outages(topology, one_of(random, std::array{1U, 3U, 10U}), asked.measurement.cycles, random);
  if (random.next_below(3) == 0)
    lose_injection_channels(topology, asked.measurement.cycles, random, asked.faults.outages);
  if (random.next_below(4) == 0) disconnect_terminals(configuration, random);
  const RoutingRelation& relation = *configuration.built.relation;
  asked.faults.on_failure = one_of(random, std::array{OnFailure::complete, OnFailure::drop});
  if (!relation.sends_again() || random.next_below(6) != 0) add_agents(asked, topology, random);
  if (random.next_below(5) == 0) {
    const RelationPtr changed =
        admissible_relation(configuration.built.relation, {.dead = random_faults(topology, random, 3)});
    asked.faults.reroutings = {{random.next_below(900), changed}};
  }
  const SimulationSpec spec = resolved(asked, *configuration.built.pattern);
  if (!cut_through::fits_event_driven(relation, spec))
    return;  // no room is left for lanes besides the virtual channels
  const cut_through::Outcome oracle =
      cut_through::run_cycle_driven(relation, *configuration.built.pattern, spec);
  const cut_through::Outcome ours =
      cut_through::run_event_driven(relation, *configuration.built.pattern, spec);
  expect_equal(ours, oracle);
  expect_loads_of_all_packets(ours.result, relation.topology());
  fates.delivered += oracle.result.delivered;
  fates.sent_again += oracle.result.sent_again;
  if (const auto lost = oracle.result.dropped.find("link_failed"); lost != oracle.result.dropped.end())
    fates.lost += lost->second;
  if (!oracle.result.control) return;
  const AgentFigures& sources = oracle.result.control->sources;
  EXPECT_LE(sources.paths_open, sources.pairs * sources.max_paths_open);
  fates.notified += oracle.result.control->notifications;
  fates.control_lost += oracle.result.control->lost;
}

class CutThroughAgents : public testing::TestWithParam<AgentFamily> {};

TEST_P(CutThroughAgents, EventDrivenEqualsCycleDriven) {
  AgentFates fates;
  const std::uint64_t seeds =
      long_tests() ? 20 * GetParam().seeds
                   : effort(GetParam().seeds, std::max<std::uint64_t>(1, GetParam().seeds / 50));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Configuration configuration = GetParam().draw(seed);
    run_both_with_agents(configuration, seed, fates);
    ASSERT_FALSE(HasFailure()) << configuration.name << ", agents of seed " << seed;
  }
  if (under_sanitizers) return;  // too few seeds for everything to have happened
  EXPECT_GT(fates.delivered, 20 * seeds);
  EXPECT_GT(fates.notified, 0U);
  EXPECT_GT(fates.lost + fates.control_lost, 0U);
  const std::string_view name = GetParam().name;
  if (name == "Multistep" || name == "Large") {
    EXPECT_GT(fates.sent_again, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(, CutThroughAgents,
                         testing::Values(AgentFamily{"Multistep", &multistep, 200},
                                         AgentFamily{"OneVirtualChannel", &one_virtual_channel, 60},
                                         AgentFamily{"Grids", &grid, 60},
                                         AgentFamily{"WideSwitches", &wide_switches, 60},
                                         AgentFamily{"RandomRelations", &any_relation_with_agents, 60},
                                         AgentFamily{"Large", &large, 6}),
                         [](const auto& family) { return std::string(family.param.name); });

/// All channels from a switch to others are down for the rest of the run: what comes to it goes round between
/// it and its terminal.
class NoWayOn : public testing::Test {
 protected:
  NoWayOn() : built_(network("torus:radix=4x4", "ft-drb")) {
    spec_.injection = {.load = 0.6, .packet_flits = 8};
    spec_.measurement.cycles = effort(8'000, 4'000);
    constexpr std::uint64_t failure = 500, long_after = 900'000;
    for (const ChannelId channel : built_.topology->outputs(SwitchId(0)))
      if (built_.topology->role(channel) == ChannelRole::network)
        spec_.faults.outages.push_back({channel, failure, long_after});
  }

  [[nodiscard]] SimulationResult of_both() const {
    const SimulationSpec spec = resolved(spec_, *built_.pattern);
    const cut_through::Outcome ours = cut_through::run_event_driven(*built_.relation, *built_.pattern, spec);
    const cut_through::Outcome oracle =
        cut_through::run_cycle_driven(*built_.relation, *built_.pattern, spec);
    expect_equal(ours, oracle);
    EXPECT_EQ(ours.result.sent_again, oracle.result.sent_again);
    EXPECT_EQ(ours.result.control.has_value(), oracle.result.control.has_value());
    if (oracle.result.control) expect_equal_control(*ours.result.control, *oracle.result.control);
    EXPECT_FALSE(ours.result.deadlock);
    return ours.result;
  }

  /// Flits/cycle/terminal in the last quarter of the run.
  [[nodiscard]] static double accepted_at_the_end(const SimulationResult& result) {
    double flits = 0, cycles = 0;
    for (const ThroughputBin& bin : result.throughput)
      if (4 * bin.from >= 3 * result.cycles) {
        flits += bin.accepted * static_cast<double>(bin.until - bin.from);
        cycles += static_cast<double>(bin.until - bin.from);
      }
    return flits / cycles;
  }

  Network built_;
  SimulationSpec spec_;
};

/// More of them wait at the terminal than there are slots in all buffers.
TEST_F(NoWayOn, AnyNumberOfPacketsWaitsToBeSentAgain) {
  spec_.measurement.cycles = effort(30'000, 4'000);
  const SimulationResult result = of_both();
  EXPECT_GT(result.in_flight, effort(4'500U, 500U));
  EXPECT_GT(accepted_at_the_end(result), 0.1);
}

/// Control packets that go round leave the other switches their throughput.
TEST_F(NoWayOn, ControlPacketsDoNotStarveData) {
  const double without = accepted_at_the_end(of_both());
  for (const bool own_lanes : {true, false}) {
    spec_.cut_through().agents =
        SourceAgents{.maker = agent_maker(parse_compact("agent", "ft-drb")), .own_lanes = own_lanes};
    const SimulationResult result = of_both();
    EXPECT_GT(accepted_at_the_end(result), 0.5 * without) << (own_lanes ? "own lanes" : "shared buffers");
    EXPECT_EQ(result.silent_cycles, 0U);
  }
}

}  // namespace
}  // namespace faultline
