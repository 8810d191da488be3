// SPDX-License-Identifier: Apache-2.0
// What a source agent learns, when, and the cost of control packets.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "agent/path_of.h"
#include "faultline/base/file.h"
#include "faultline/simulate/simulate.h"
#include "study/agent_options.h"
#include "support/listed_packets.h"
#include "support/simulate_support.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing_support::ListedPacket;
using testing_support::ListedPackets;
using testing_support::Network;
using testing_support::network;

/// What one source learned, and how often it had been queried before.
struct Diary {
  std::vector<LatencyReport> latencies;
  std::vector<FaultReport> faults;
  std::vector<std::size_t> asked_before;  ///< each report of latency
  std::vector<std::size_t> offered;       ///< the options offered, for each query
};

class DiaryAgent final : public SourceAgent {
 public:
  explicit DiaryAgent(Diary& diary) : diary_(diary) {}
  [[nodiscard]] std::size_t choose(TerminalId, std::span<const RouteOption> ways, std::uint64_t) override {
    diary_.offered.push_back(ways.size());
    return 0;
  }
  void told(const LatencyReport& report) override {
    diary_.latencies.push_back(report);
    diary_.asked_before.push_back(diary_.offered.size());
  }
  void told(const FaultReport& report) override { diary_.faults.push_back(report); }

 private:
  Diary& diary_;
};

/// For source 0; the other agents' records are not read.
class SourceAgentsTest : public testing::Test {
 protected:
  SourceAgents agents() {
    return {.maker = [this](const AgentContext& context) {
      return std::make_unique<DiaryAgent>(context.source == TerminalId(0) ? diary_ : others_);
    }};
  }
  Diary diary_, others_;
};

std::vector<ListedPacket> packets(std::uint32_t count, std::uint32_t every, TerminalId to,
                                  std::uint32_t flits) {
  std::vector<ListedPacket> all;
  for (std::uint32_t i = 0; i < count; ++i)
    all.push_back({TerminalId(0), {.time = i * every, .destination = to, .flits = flits}});
  return all;
}

/// One packet alone: latency there and back in closed form, and hops of one class and of the other.
TEST_F(SourceAgentsTest, AcknowledgementTakesTheTimeOfAShortPacket) {
  const Network built = network("mesh:radix=4", "dimension-order");
  for (const std::uint32_t control_flits : {1U, 5U}) {
    diary_ = {};
    SimulationSpec spec{.switches = CutThroughSwitches{.routing_cycles = 3, .agents = agents()},
                        .measurement = {.cycles = 400, .warmup = 0}};
    spec.cut_through().agents->control_flits = control_flits;
    const ListedPackets pattern(*built.topology, packets(2, 200, TerminalId(3), 20));
    const SimulationResult result = simulate(*built.relation, pattern, spec);
    // 5 channels of 1 cycle, 4 switches of 3 + 1 cycles, and the tail behind the head.
    EXPECT_EQ(result.latency.mean, 5 + 4 * 4 + 20);
    ASSERT_TRUE(result.control);
    EXPECT_EQ(result.control->acknowledgements, 2U);
    EXPECT_EQ(result.control->arrived, 2U);
    EXPECT_EQ(result.control->latency_mean, 5 + 4 * 4 + control_flits);
    EXPECT_EQ(result.control->packet_hops, 2U * 4);
    EXPECT_EQ(result.control->flit_hops, 2U * 4 * control_flits);
    EXPECT_EQ(result.packet_hops, 2U * 4) << "of data alone";
    EXPECT_EQ(result.delivered, 2U);
    ASSERT_EQ(diary_.latencies.size(), 2U);
    EXPECT_EQ(diary_.latencies[0].latency, 5 + 4 * 4 + 20U);
    EXPECT_EQ(diary_.latencies[0].destination, TerminalId(3));
    EXPECT_EQ(diary_.asked_before[0], 1U) << "before the second packet";
  }
}

/// A source that sends a packet every 10 cycles learns of the first one after as many packets as fit into the
/// time of that packet, its acknowledgement and the reaction.
TEST_F(SourceAgentsTest, ReactsAfterTheStatedTime) {
  const Network built = network("mesh:radix=4", "dimension-order");
  const auto first_known = [&](std::uint32_t reaction) {
    diary_ = {};
    SimulationSpec spec{.switches = CutThroughSwitches{.agents = agents()},
                        .measurement = {.cycles = 900, .warmup = 0}};
    spec.cut_through().agents->reaction_cycles = reaction;
    (void)simulate(*built.relation, ListedPackets(*built.topology, packets(60, 10, TerminalId(3), 10)), spec);
    return diary_.asked_before.at(0);
  };
  const std::uint32_t there = 5 + 4 * 5 + 10, back = 5 + 4 * 5 + 1;
  for (const std::uint32_t reaction : {0U, 3U, 4U, 5U, 100U}) {
    const std::uint32_t known = there + back + reaction;
    EXPECT_EQ(first_known(reaction), (known + 9) / 10) << "packets at 0, 10, … before cycle " << known;
  }
}

/// Terminals 0 and 2 send to terminal 1, from which no channel leads to 0: those of its answers are lost, and
/// those to 2 arrive. Once with switches that know of the dead channel, once with one that goes down in the
/// first cycle, which the sources cannot know.
TEST_F(SourceAgentsTest, AnswersWithoutAPathAreLostAndHoldUpNoOthers) {
  const Network healthy = network("mesh:radix=3", "dimension-order");
  const Topology& topology = *healthy.topology;
  const ChannelId back = topology.injection(TerminalId(1)).front();
  ChannelId to_0;
  for (const ChannelId channel : topology.outputs(topology.target(back)))
    if (topology.target(channel) == SwitchId(0)) to_0 = channel;
  ASSERT_TRUE(to_0.valid());
  FaultSet dead(topology);
  dead.fail(to_0);
  std::vector<ListedPacket> all;
  for (std::uint32_t i = 0; i < 40; ++i)
    for (const std::uint32_t source : {0U, 2U})
      all.push_back({TerminalId(source), {.time = 50 * i, .destination = TerminalId(1), .flits = 4}});
  const ListedPackets pattern(topology, all);
  for (const bool is_known : {true, false})
    for (const bool own_lanes : {true, false})
      for (const std::uint32_t speedup : {1U, 2U}) {
        SimulationSpec spec{.switches = CutThroughSwitches{.agents = agents()},
                            .measurement = {.cycles = 4000, .warmup = 0}};
        spec.cut_through().agents->own_lanes = own_lanes;
        spec.speedup.input = speedup;  // above 1: the cycle-driven engine
        Network built = healthy;
        if (is_known) {
          built = network(healthy.topology, dead, "dimension-order");
          spec.faults.dead = dead;
        } else {
          spec.faults.outages = {{to_0, 1, Outage::forever}};
        }
        const SimulationResult result = simulate(*built.relation, pattern, spec);
        EXPECT_EQ(result.engine == "cut-through, cycle-driven", speedup == 2);
        ASSERT_TRUE(result.control);
        EXPECT_EQ(result.delivered, 80U);
        EXPECT_EQ(result.control->acknowledgements, 80U);
        EXPECT_EQ(result.control->arrived, 40U);
        EXPECT_EQ(result.control->lost, 40U);
      }
}

/// A terminal with a long cable to one switch and a short one to another: both ways have the same tag.
TEST(SourceAgents, LearnWhichInjectionChannelIsFaster) {
  const TemporaryFolder folder;
  const std::string file = (folder.path / "two.edges").string();
  write_file(file,
             "switch a\nswitch b\nswitch c\nterminal t\nterminal u\nt a cycles=900\nt b\na c\nb c\nc u\n",
             "test");
  const Network built = network("graph:file=" + file, "shortest-path");
  ASSERT_EQ(built.topology->injection(TerminalId(0)).size(), 2U);
  for (const std::string agent : {"last-latency:explore=0", "drb", "ft-drb"}) {
    const AgentMaker maker = agent_maker(parse_compact("agent", agent));
    SimulationSpec spec{.switches = CutThroughSwitches{.agents = SourceAgents{.maker = maker}},
                        .measurement = {.cycles = 400'000, .warmup = 100'000}};
    const SimulationResult result =
        simulate(*built.relation, ListedPackets(*built.topology, packets(200, 2000, TerminalId(1), 4)), spec);
    EXPECT_GE(result.delivered, 199U) << agent;
    EXPECT_LT(result.latency.mean, 60) << agent << ": nearly all by the short cable";
  }
}

/// In lanes of their own or in the buffers of data: each packet is answered once.
TEST_F(SourceAgentsTest, EveryPacketIsAnsweredOnce) {
  for (const bool own_lanes : {true, false}) {
    diary_ = {};
    const Network built = network("torus:radix=4x4", "duato");
    SimulationSpec spec{.injection = {.load = 0.4, .packet_flits = 4},
                        .switches = CutThroughSwitches{.agents = agents()},
                        .measurement = {.cycles = 5000, .warmup = 0}};
    spec.cut_through().agents->own_lanes = own_lanes;
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_GT(result.delivered, 5000U);
    EXPECT_LE(result.control->acknowledgements,
              result.delivered + 16);  // sent in the last cycle at the latest
    EXPECT_LE(result.control->arrived, result.control->acknowledgements);
    EXPECT_LE(result.delivered, result.control->arrived + 200) << "the others are under way";
    EXPECT_EQ(result.control->notifications, 0U);
    EXPECT_EQ(result.control->lost, 0U);
  }
}

/// A switch that finds its output dead notifies the source once, whichever path the packet then takes.
TEST_F(SourceAgentsTest, SourceIsNotifiedOfADeadChannel) {
  const Network built = network("mesh:radix=3x3", "ft-drb:adaptive_vcs=0");
  const Topology& topology = *built.topology;
  ChannelId dead;
  for (const ChannelId channel : topology.outputs(SwitchId(1)))
    if (topology.role(channel) == ChannelRole::network && topology.target(channel) == SwitchId(2))
      dead = channel;
  ASSERT_TRUE(dead.valid());
  const ListedPackets pattern(topology, packets(1, 1, TerminalId(2), 6));
  const SimulationSpec spec{.switches = CutThroughSwitches{.agents = agents()},
                            .measurement = {.cycles = 600, .warmup = 0},
                            .faults = {.outages = {{dead, 0, Outage::forever}}}};
  const SimulationResult result = simulate(*built.relation, pattern, spec);
  EXPECT_EQ(result.delivered, 1U);
  EXPECT_EQ(result.hops_mean, 5) << "around the channel: two switches more";
  EXPECT_EQ(result.control->notifications, 1U);
  EXPECT_EQ(result.control->acknowledgements, 0U) << "one answer a packet";
  EXPECT_EQ(result.control->met_dead_channel, 1U);
}

/// Two paths of different load: the agent keeps to the one that was fast, a selection function alone does
/// not.
TEST(LastLatency, KeepsAwayFromASlowWay) {
  const Network built = network("torus:radix=8", "valiant");
  const auto latency_with = [&](const char* agent) {
    SimulationSpec spec{.injection = {.load = 0.2, .packet_flits = 16},
                        .selection = testing_support::selection("random"),
                        .measurement = {.cycles = 20'000}};
    if (agent != nullptr)
      spec.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", agent))};
    return simulate(*built.relation, *built.pattern, spec).latency.mean;
  };
  const double drawn = latency_with(nullptr), chosen = latency_with("last-latency");
  EXPECT_LT(chosen, 0.9 * drawn) << "by the shortest ways, while they are fast";
}

/// Sources that have been notified of a dead channel send packets via intermediate switches, and around it.
TEST(WatchedPair, OpenPathsLeadToTheDestinationAndAroundDeadChannels) {
  const Network built = network("torus:radix=4x4", "ft-drb");
  const Topology& topology = *built.topology;
  const TerminalId source(0), destination(2);  // two hops in the first dimension
  const ChannelId dead = built.relation->topology().outputs(SwitchId(0)).front();
  ASSERT_EQ(topology.target(dead), SwitchId(1));
  SimulationSpec spec{.injection = {.load = 0.6, .packet_flits = 16},
                      .measurement = {.cycles = 20'000},
                      .faults = {.outages = {{dead, 0, Outage::forever}}}};
  spec.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", "ft-drb")),
                                           .watched = std::pair(source, destination)};
  const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
  ASSERT_TRUE(result.control->sources.watched);
  const WatchedPair& watched = *result.control->sources.watched;
  EXPECT_EQ(watched.source, source);
  EXPECT_EQ(watched.destination, destination);
  ASSERT_FALSE(watched.paths.empty());
  std::set<std::vector<ChannelId>> different;
  for (const OpenPath& path : watched.paths) {
    SwitchId at = topology.target(topology.injection(source).front());
    for (const ChannelId channel : path.channels) {
      EXPECT_NE(channel, dead);
      ASSERT_EQ(topology.source(channel), at);
      at = topology.target(channel);
    }
    EXPECT_EQ(at, topology.source(topology.ejection(destination).front()));
    EXPECT_GE(path.latency, path.channels.size() + spec.injection.packet_flits);
    EXPECT_TRUE(different.insert(path.channels).second) << "twice the same path";
  }
}

/// After tables are recomputed without a channel, they are those of the new tables; not before.
TEST(WatchedPair, OpenPathsAreThoseOfTheTablesInForce) {
  const Network built = network("mesh:radix=3x3", "up-down");
  const Topology& topology = *built.topology;
  const TerminalId source(0), destination(2);
  RouteOptions ways;
  built.relation->inject(source, destination, ways);
  const ChannelId dead = path_of(*built.relation, ways.front(), destination).front();
  FaultSet known(topology);
  known.fail(dead);
  const Network rerouted = network(built.topology, known, "up-down");
  for (const auto& [agent, at, times] :
       {std::tuple("drb", 600U, 0), std::tuple("ft-drb", 600U, 0), std::tuple("drb", 5'000U, 1)}) {
    SimulationSpec spec{
        .injection = {.load = 0.1, .packet_flits = 4},
        .measurement = {.cycles = 4'000},
        .faults = {.outages = {{dead, 500, Outage::forever}}, .reroutings = {{at, rerouted.relation}}}};
    spec.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", agent)),
                                             .watched = std::pair(source, destination)};
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    ASSERT_FALSE(result.control->sources.watched->paths.empty());
    for (const OpenPath& path : result.control->sources.watched->paths) {
      ASSERT_FALSE(path.channels.empty());
      EXPECT_EQ(std::ranges::count(path.channels, dead), times) << agent;
    }
  }
}

/// While a terminal seems dead for good every path is opened in vain; then one is enough again.
TEST(FtDrb, UsesNoMorePathsThanBeforeWhenATerminalComesBack) {
  const Network built = network("torus:radix=4x4", "ft-drb");
  const TerminalId destination(5);
  const auto agent = agent_maker(parse_compact("agent", "ft-drb:open=1,permanent_stage=1,lower=0"))(
      {.relation = *built.relation, .source = TerminalId(0)});
  RouteOptions ways;
  built.relation->inject(TerminalId(0), destination, ways);
  EXPECT_EQ(agent->choose(destination, ways, 1), 0U);
  agent->told(FaultReport{destination, way_of(ways[0]), built.topology->ejection(destination).front()});
  for (std::uint64_t i = 0; i < 20; ++i) (void)agent->choose(destination, ways, i);
  agent->told(LatencyReport{destination, way_of(ways[0]), 10});
  for (std::uint64_t i = 0; i < 200; ++i) ASSERT_EQ(agent->choose(destination, ways, i), 0U);
}

/// The direct path is ruled out for good, the others only for some packets.
TEST(FtDrb, SendsNothingOverADeadPathWhileOthersOnlyWait) {
  const Network built = network("torus:radix=4x4", "ft-drb:paths=4");
  const TerminalId source(0), destination(5);
  const auto agent = agent_maker(parse_compact("agent", "ft-drb:open=4,permanent_stage=2,attempts=1000"))(
      {.relation = *built.relation, .source = source});
  RouteOptions ways;
  built.relation->inject(source, destination, ways);
  ASSERT_EQ(ways.size(), 4U);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const std::vector<ChannelId> path = path_of(*built.relation, ways[way], destination);
    agent->told(FaultReport{destination, way_of(ways[way]), path.front()});
    if (way == 0) agent->told(FaultReport{destination, way_of(ways[way]), path.front()});
  }
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_NE(agent->choose(destination, ways, i), 0U);
}

/// Neither those that have come up nor those that go down after the run.
TEST(WatchedPair, DeadChannelsAreThoseOfTheLastCycle) {
  const Network built = network("mesh:radix=3x3", "dimension-order");
  const Topology& topology = *built.topology;
  nlohmann::ordered_json control{{"watched", {{"source", ""}}}};
  const FaultSchedule outages{{ChannelId(0), 10, 20},
                              {ChannelId(1), 10, Outage::forever},
                              {ChannelId(2), 99, 100},
                              {ChannelId(3), 100, Outage::forever}};
  add_channels_down(control, outages, 99, topology);
  const nlohmann::ordered_json expected{topology.name(ChannelId(1)), topology.name(ChannelId(2))};
  EXPECT_EQ(control["watched"]["down"], expected);
}

TEST(SourceAgentsErrors, NamesWhatIsAllowed) {
  const Network built = network("mesh:radix=4", "dimension-order");
  const auto refusal = [&](CutThroughSwitches switches) -> std::string {
    switches.agents = SourceAgents{.maker = agent_maker(parse_compact("agent", "drb"))};
    try {
      (void)simulate(*built.relation, *built.pattern, {.switches = std::move(switches)});
    } catch (const Error& error) {
      return error.parts().field;
    }
    return "";
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.buffers = Buffering::both}), "simulate.buffers");
  EXPECT_THROW((void)agent_maker(parse_compact("agent", "drb:upper=50")), Error);
  EXPECT_THROW((void)agent_maker(parse_compact("agent", "dbr")), Error);
}

}  // namespace
}  // namespace faultline
