// SPDX-License-Identifier: Apache-2.0
// What a program may ask of the library about another network, or in numbers that it does not have: an error
// that says so, in release builds as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "faultline/faultline.h"
#include "support/error_message.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing_support::error_message;

TopologyPtr torus(const std::string& radix) {
  return build_topology(parse_compact("topology", "torus:radix=" + radix));
}

TEST(OutOfRange, ComponentsAndChannels) {
  const TopologyPtr topology = torus("3x3");
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const auto beyond = static_cast<std::uint32_t>(links.count());
  EXPECT_THAT(error_message([&] { (void)links.fault_set(std::vector{beyond}); }),
              HasSubstr("must be one of 18 of unit link and scope network of torus:radix=3x3"));
  EXPECT_THAT(error_message([&] { (void)lost_terminals(links, {beyond}); }), HasSubstr("component 18"));
  const FaultHistory history{links, {{.cycle = 5, .component = beyond}}};
  EXPECT_THAT(error_message([&] { (void)fault_schedule(history); }), HasSubstr("component 18"));
  EXPECT_THAT(error_message([&] { (void)fault_schedule_text(history, "test"); }), HasSubstr("component 18"));
  const std::vector<FaultEvent> events{{5, false, {ChannelId(topology->channel_count())}}};
  EXPECT_THAT(error_message([&] { (void)fault_schedule(*topology, events); }), HasSubstr("channel 54"));
}

TEST(OutOfRange, NumbersOfFaultsAndSwitches) {
  EXPECT_THAT(error_message([] { (void)FaultSampler(3, 1).draw(4, 0); }),
              HasSubstr("must be at most the number"));
  EXPECT_THAT(error_message([] { (void)diameter_offsets(5, 0); }), HasSubstr("must be at least 1"));
  EXPECT_THAT(error_message([] { (void)naive_offsets(5, 6); }), HasSubstr("must be at most 5"));
  EXPECT_THAT(error_message([] { (void)careless_attachments(0, 0, 3); }), HasSubstr("must be at least 1"));
  EXPECT_THAT(error_message([] { (void)attach_around(0, {0}, 3); }), HasSubstr("must be at most 0"));
  const TopologyPtr topology = torus("3x3"), larger = torus("4x4");
  FaultSet faults(*larger);
  EXPECT_THROW(faults.fail(*topology, SwitchId(12)), std::out_of_range);
  EXPECT_THAT(error_message([&] { (void)EjectionClasses(*topology, FaultSet(*larger)); }),
              HasSubstr("known"));
}

TEST(OutOfRange, Terminals) {
  const TopologyPtr topology = torus("3x3");
  const FaultSet none(*topology);
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "dimension-order"));
  const TerminalId first(0), beyond(9);
  const std::string allowed = "must be one of 9 terminals of torus:radix=3x3";
  EXPECT_THAT(error_message([&] { (void)legs_of(*relation, beyond, first, none); }), HasSubstr(allowed));
  EXPECT_THAT(error_message([&] { (void)legs_of(*relation, first, beyond, none); }), HasSubstr(allowed));
  EXPECT_THAT(error_message([&] { (void)enumerate_states(*relation, beyond); }), HasSubstr(allowed));
  EXPECT_THAT(error_message([&] { (void)LivingNetwork(*topology, none).reached_from(beyond); }),
              HasSubstr(allowed));
  EXPECT_THAT(error_message([&] { (void)LivingNetwork(*topology, none).reaching(beyond); }),
              HasSubstr(allowed));
  EXPECT_THAT(error_message([&] { (void)relation_text(*relation, {beyond}); }), HasSubstr(allowed));
}

TEST(OutOfRange, FaultsOfAnotherNetwork) {
  const TopologyPtr topology = torus("3x3"), other = torus("2x2");
  const FaultSet elsewhere(*other);
  for (const char* routing :
       {"shortest-path", "lash", "methodology", "ft-fir", "up-down", "repair", "dfsssp", "dimension-order"}) {
    const auto asked = parse_compact("routing", routing);
    EXPECT_THAT(error_message([&] { (void)build_relation(topology, elsewhere, asked); }),
                HasSubstr("routing.faults"))
        << routing;
    EXPECT_THAT(error_message([&] { (void)build_relation(topology, Damage{elsewhere}, asked); }),
                HasSubstr("routing.faults"))
        << routing;
    EXPECT_THAT(error_message([&] { (void)build_offered_relation(topology, Damage{elsewhere}, asked); }),
                HasSubstr("routing.faults"))
        << routing;
  }
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "dimension-order"));
  const auto refuses = [](auto act) {
    EXPECT_THAT(error_message(act), HasSubstr("must be of torus:radix=3x3"));
  };
  refuses([&] { (void)legs_of(*relation, TerminalId(0), TerminalId(1), elsewhere); });
  refuses([&] { (void)enumerate_plays(*relation, TerminalId(0), elsewhere); });
  refuses([&] { (void)all_pairs_connected(*relation, *relation, elsewhere); });
  refuses([&] { (void)LivingNetwork(*topology, elsewhere); });
}

TEST(OutOfRange, ValuesOfEnumerations) {
  const TopologyPtr topology = torus("3x3");
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "minimal-adaptive"));
  const PatternPtr uniform = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  const auto refusal = [&](const Switches& switches, auto change) {
    SimulationSpec spec{.switches = switches, .measurement = {.cycles = 100}};
    change(spec);
    return error_message([&] { (void)simulate(*relation, *uniform, spec); });
  };
  const auto arbitration = [](SimulationSpec& spec) { spec.arbitration = static_cast<Arbitration>(99); };
  const auto injection = [](SimulationSpec& spec) { spec.injection.process = static_cast<Injection>(77); };
  for (const Switches& switches : {Switches(CutThroughSwitches{}), Switches(WormholeSwitches{})}) {
    EXPECT_THAT(refusal(switches, arbitration), HasSubstr("simulate.arbitration = '99'"));
    EXPECT_THAT(refusal(switches, injection), HasSubstr("simulate.injection = '77'"));
  }
  EXPECT_THAT(refusal(CutThroughSwitches{.buffers = static_cast<Buffering>(9)}, [](SimulationSpec&) {}),
              HasSubstr("simulate.buffers = '9'"));
  EXPECT_THAT(refusal(WormholeSwitches{.allocation = static_cast<Allocation>(9)}, [](SimulationSpec&) {}),
              HasSubstr("simulate.allocation = '9'"));
}

TEST(OutOfRange, NothingIsNotBuilt) {
  EXPECT_THAT(error_message([] { (void)build_topology(Resolved<TopologyKind>()); }),
              HasSubstr("must be given"));
  EXPECT_THAT(error_message([] { (void)build_pattern(*torus("3x3"), 1, Resolved<PatternKind>()); }),
              HasSubstr("must be given"));
  EXPECT_THAT(error_message([] { (void)draw_faults(torus("3x3"), 100, 1, Resolved<FaultProcessKind>()); }),
              HasSubstr("must be given"));
  EXPECT_THAT(error_message([] { (void)agent_maker(Resolved<AgentKind>()); }), HasSubstr("must be given"));
}

/// A trace that a program made up, on four terminals.
struct OwnTrace : TrafficPattern {
  Trace packets;
  explicit OwnTrace(Trace given) : packets(std::move(given)) {}
  [[nodiscard]] TerminalId destination(TerminalId /*source*/, std::uint64_t /*random*/) const override {
    return TerminalId(0);
  }
  [[nodiscard]] const Trace* trace() const override { return &packets; }
};

TEST(OutOfRange, TracesOfPatterns) {
  const TopologyPtr topology = torus("2x2");
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "minimal-adaptive"));
  using Packet = Trace::Packet;
  const Packet good{.time = 3, .destination = TerminalId(1), .flits = 2};
  const auto refusal = [&](std::vector<Packet> packets, std::vector<std::uint32_t> first) {
    const OwnTrace pattern({std::move(packets), std::move(first)});
    const auto said_with = [&](const Switches& switches) {
      return error_message([&] { (void)simulate(*relation, pattern, {.switches = switches}); });
    };
    const std::string said = said_with(CutThroughSwitches{});
    EXPECT_EQ(said_with(WormholeSwitches{}), said);
    return said;
  };
  const auto of_first = [&](const Packet& packet) { return refusal({packet}, {0, 1, 1, 1, 1}); };
  EXPECT_EQ(of_first(good), "accepted");
  EXPECT_THAT(of_first({3, TerminalId(1), 0}), HasSubstr("must have from 1 to"));
  EXPECT_THAT(of_first({3, TerminalId(1), 3'000'000'000}), HasSubstr("must have from 1 to"));
  EXPECT_THAT(of_first({3'000'000'000, TerminalId(1), 2}), HasSubstr("must be generated by cycle"));
  EXPECT_THAT(of_first({3, TerminalId(0), 2}), HasSubstr("must go to another of 4 terminals"));
  EXPECT_THAT(of_first({3, TerminalId(4), 2}), HasSubstr("must go to another of 4 terminals"));
  EXPECT_THAT(refusal({good, {2, TerminalId(1), 2}}, {0, 2, 2, 2, 2}), HasSubstr("in the order of time"));
  EXPECT_THAT(refusal({good}, {}), HasSubstr("must say where the packets of each source begin"));
  EXPECT_THAT(refusal({good}, {0, 5, 5, 5, 5}), HasSubstr("must say where the packets of each source begin"));
  EXPECT_THAT(refusal({good}, {0, 1, 0, 1, 1}), HasSubstr("must say where the packets of each source begin"));
  EXPECT_THAT(refusal({good}, {0, 1, 1}), HasSubstr("must be a trace of 4 terminals"));
}

struct Shares : TrafficPattern {
  double value;
  explicit Shares(double given) : value(given) {}
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t /*random*/) const override {
    return TerminalId(source.value() == 0 ? 1U : 0U);
  }
  [[nodiscard]] double share(TerminalId /*source*/, TerminalId /*destination*/) const override {
    return value;
  }
};

TEST(OutOfRange, SharesOfPatterns) {
  const RelationPtr relation =
      build_healthy_relation(torus("2x2"), parse_compact("routing", "minimal-adaptive"));
  EXPECT_EQ(error_message([&] { (void)ideal_throughput(*relation, Shares(0.25)); }), "accepted");
  for (const double share :
       {-0.5, 5.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(error_message([&] { (void)ideal_throughput(*relation, Shares(share)); }),
                HasSubstr("must be a fraction of the source's packets"))
        << share;
}

/// Options that no engine would accept are not written either.
struct OffersNoChannel : RoutingRelation {
  using RoutingRelation::RoutingRelation;
  void route(const RouteState& /*state*/, RouteOptions& options) const override {
    options.push_back({.channel = ChannelId(12345), .vcs = 1});
  }
};

TEST(OutOfRange, RelationsThatAreWritten) {
  EXPECT_THAT(error_message([] { (void)relation_text(OffersNoChannel(torus("2x2"))); }), HasSubstr("12345"));
}

TEST(OutOfRange, NamesThatAreGivenToWhatHasNone) {
  for (const char* name : {"switch 1", "terminal 0"}) {
    TopologyBuilder builder;
    builder.add_switch({}, name);
    builder.add_switch({});
    builder.add_terminal();
    EXPECT_THROW((void)std::move(builder).build("test", "up-down"), std::logic_error) << name;
  }
  TopologyBuilder builder;  // "switch 0" has a name, and there is no switch 2 and no switch 01
  for (const char* name : {"switch 2", "switch 01", "switch 0"}) builder.add_switch({}, name);
  EXPECT_NO_THROW((void)std::move(builder).build("test", "up-down"));
}

/// Two switches of a file without terminals get one each, "terminal 0" and "terminal 1".
TEST(OutOfRange, NamesOfTerminalsThatAFileLacks) {
  const auto refusal = [](const std::string& name) {
    formats::GraphFile graph;
    graph.nodes = {{.id = name, .line = 1}, {.id = "b", .line = 2}};
    graph.edges = {{.from = 0, .to = 1}};
    return error_message([&] { (void)network_of(graph, "test", {}); });
  };
  for (const char* name : {"terminal 0", "terminal 1"})
    EXPECT_THAT(refusal(name), HasSubstr("is also the name of a terminal")) << name;
  for (const char* name : {"terminal 2", "terminal 01", "terminal", "terminal x", "switch 0"})
    EXPECT_EQ(refusal(name), "accepted") << name;
}

TEST(OutOfRange, PropertiesOfEdges) {
  formats::GraphFile graph;
  graph.nodes = {{.id = "a"}, {.id = "b"}};
  const auto refusal = [&](formats::GraphEdge edge) {
    edge.from = 0;
    edge.to = 1;
    graph.edges = {edge};
    return error_message([&] { (void)network_of(graph, "test", {}); });
  };
  EXPECT_EQ(refusal({.cycles = 2, .length = 3.5}), "accepted");
  EXPECT_THAT(refusal({.cycles = 0}), HasSubstr("must be from 1 to"));
  EXPECT_THAT(refusal({.length = -3.0}), HasSubstr("must be a length of at least 0"));
  EXPECT_THAT(refusal({.length = std::numeric_limits<double>::quiet_NaN()}),
              HasSubstr("must be a length of at least 0"));
}

TEST(OutOfRange, ProgressThatFailsEndsReplications) {
  const TopologyPtr topology = torus("3x3");
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "minimal-adaptive"));
  const PatternPtr uniform = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  for (const std::uint32_t threads : {1U, 2U, 4U})
    EXPECT_THROW((void)replicate(*relation, *uniform, {.measurement = {.cycles = 200}}, 4, threads,
                                 [](auto...) { throw std::runtime_error("the caller's"); }),
                 std::runtime_error);
}

}  // namespace
}  // namespace faultline
