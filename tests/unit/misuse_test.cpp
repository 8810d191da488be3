// SPDX-License-Identifier: Apache-2.0
// What must not compile: each misuse of the public interface next to a correct use that must, from which it
// differs in one word.
#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>

#include "faultline/faultline.h"

namespace faultline {
namespace {

template <class A, class B>
concept Comparable = requires(A a, B b) {
  a == b;
};
template <class A>
concept Countable = requires(A a) {
  a + 1;
};

TEST(Misuse, AnIdIsNeitherANumberNorTheIdOfAnotherThing) {
  EXPECT_TRUE((std::convertible_to<SwitchId, SwitchId>));
  EXPECT_FALSE((std::convertible_to<ChannelId, SwitchId>));
  EXPECT_TRUE((std::constructible_from<SwitchId, std::uint32_t>));
  EXPECT_FALSE((std::convertible_to<std::uint32_t, SwitchId>));
  EXPECT_FALSE((std::convertible_to<SwitchId, std::uint32_t>));
  EXPECT_TRUE((Comparable<SwitchId, SwitchId>));
  EXPECT_FALSE((Comparable<SwitchId, TerminalId>));
  EXPECT_TRUE(Countable<std::uint32_t>);
  EXPECT_FALSE(Countable<SwitchId>);
}

template <class Id>
concept HasASource = requires(const Topology& topology, Id id) {
  topology.source(id);
};
template <class Id>
concept HasOutputs = requires(const Topology& topology, Id id) {
  topology.outputs(id);
};
template <class Id>
concept FailsAlone = requires(FaultSet faults, Id id) {
  faults.fail(id);
};
template <class L>
concept IsAsked = requires(const Topology& topology) {
  topology.template find_labelling<L>();
};

TEST(Misuse, ATopologyIsAskedAboutWhatItHas) {
  EXPECT_TRUE(HasASource<ChannelId>);
  EXPECT_FALSE(HasASource<LinkId>);
  EXPECT_FALSE(HasASource<SwitchId>);
  EXPECT_FALSE(HasASource<std::size_t>);
  EXPECT_TRUE(HasOutputs<SwitchId>);
  EXPECT_FALSE(HasOutputs<TerminalId>);
  EXPECT_TRUE(FailsAlone<ChannelId>);
  EXPECT_FALSE(FailsAlone<LinkId>) << "which channels a link has only the topology knows";
  EXPECT_TRUE(IsAsked<Labelling>);
  EXPECT_FALSE(IsAsked<Topology>);
}

template <class Builder>
concept Builds = requires(Builder builder) {
  static_cast<Builder>(builder).build("name", "up-down");
};

TEST(Misuse, ATopologyComesFromABuilderThatIsDoneAndStaysAsItIs) {
  EXPECT_TRUE(Builds<TopologyBuilder&&>);
  EXPECT_FALSE(Builds<TopologyBuilder&>);
  EXPECT_TRUE(std::is_default_constructible_v<TopologyBuilder>);
  EXPECT_FALSE(std::is_default_constructible_v<Topology>);
  EXPECT_TRUE((std::is_assignable_v<Topology&, Topology>));
  EXPECT_FALSE((std::is_assignable_v<decltype(*std::declval<TopologyPtr>()), Topology>));
}

/// A function that is not declared const does not override route(): the class would be abstract.
struct Remembers : RoutingRelation {
  using RoutingRelation::RoutingRelation;
  virtual void route(const RouteState& state, RouteOptions& options) { options.push_back({state.held}); }
  using RoutingRelation::route;
};
struct Pure : RoutingRelation {
  using RoutingRelation::RoutingRelation;
  void route(const RouteState& state, RouteOptions& options) const override {
    options.push_back({state.held});
  }
};

TEST(Misuse, ARoutingIsPureAndIsNotCopied) {
  EXPECT_TRUE((std::constructible_from<Pure, TopologyPtr>));
  EXPECT_FALSE((std::constructible_from<Remembers, TopologyPtr>));
  EXPECT_FALSE((std::constructible_from<Pure, const Pure&>));
  EXPECT_TRUE((std::convertible_to<std::shared_ptr<Pure>, RelationPtr>));
  EXPECT_FALSE((std::convertible_to<RelationPtr, std::shared_ptr<RoutingRelation>>));
}

template <class... Arguments>
concept Verifies = requires(Arguments... arguments) {
  verify(arguments...);
};
template <class... Arguments>
concept Simulates = requires(Arguments... arguments) {
  simulate(arguments...);
};
template <class... Arguments>
concept Evaluates = requires(Arguments... arguments) {
  resilience(arguments...);
};
template <class Text>
concept Names = requires(Text text) {
  build_topology(text);
};

TEST(Misuse, AQuestionIsGivenWhatItAsksFor) {
  using Relation = const RoutingRelation&;
  using Pattern = const TrafficPattern&;
  EXPECT_TRUE((Verifies<Relation, FaultSet, VerifySpec>));
  EXPECT_FALSE((Verifies<Relation, const Topology&, VerifySpec>)) << "no fault set is made in passing";
  EXPECT_FALSE((Verifies<Relation, FaultSet, SimulationSpec>));
  EXPECT_TRUE((Simulates<Relation, Pattern, SimulationSpec>));
  EXPECT_FALSE((Simulates<Pattern, Relation, SimulationSpec>));
  EXPECT_FALSE((Simulates<Relation, Pattern, ResilienceSpec>));
  EXPECT_TRUE((Evaluates<RelationPtr, Survival, const FaultComponents&, ResilienceSpec>));
  EXPECT_FALSE((Evaluates<Relation, Survival, const FaultComponents&, ResilienceSpec>)) << "it is kept";
  EXPECT_TRUE(Names<Description>);
  EXPECT_FALSE(Names<const char*>) << "text is read by parse_compact, which may throw";
}

template <class Function>
concept IsAScore = requires(Function function) {
  SelectionRule{.score = function};
};
template <class Flits>
concept IsASize = requires {
  InjectionSpec{.packet_flits = Flits::value};
};

template <class Switches>
concept HasAgents = requires {
  Switches{.agents = std::nullopt};
};
template <class Switches>
concept HasAPipeline = requires {
  Switches{.pipeline = {}};
};

TEST(Misuse, OptionsOfOneModelAreNoneOfTheOther) {
  EXPECT_TRUE(HasAgents<CutThroughSwitches>);
  EXPECT_FALSE(HasAgents<WormholeSwitches>);
  EXPECT_TRUE(HasAPipeline<WormholeSwitches>);
  EXPECT_FALSE(HasAPipeline<CutThroughSwitches>);
}

TEST(Misuse, ASpecTakesWhatItsMemberCanHold) {
  EXPECT_TRUE(IsAScore<SelectionRule::Score>);
  EXPECT_FALSE(IsAScore<SelectionRule::Pick>);
  EXPECT_TRUE((IsASize<std::integral_constant<int, 8>>));
  EXPECT_FALSE((IsASize<std::integral_constant<int, -8>>));
}

struct NoSamples {
  static void fields(auto&) {}
  [[nodiscard]] Topology build(const std::string& name) const {
    return TopologyBuilder().build(name, "up-down");
  }
};
struct Complete : NoSamples {
  static std::vector<Complete> samples() { return {}; }
};
struct BuildsAPointer {
  static void fields(auto&) {}
  static std::vector<BuildsAPointer> samples() { return {}; }
  [[nodiscard]] TopologyPtr build(const std::string& /*name*/) const { return nullptr; }
};

TopologyBuilder three_channels() {
  TopologyBuilder builder;
  const SwitchId a = builder.add_switch({}), b = builder.add_switch({});
  builder.connect({a, 0}, {b, 0});
  builder.connect({b, 1}, {a, 1});
  builder.connect({a, 2}, {b, 2});
  return builder;
}

TEST(Misuse, ABuilderRefusesWhatItWasNotGiven) {
  const auto with_links = [](std::vector<LinkId> links) {
    TopologyBuilder builder = three_channels();
    builder.set_links(std::move(links));
    return std::move(builder).build("test", "up-down").link_count();
  };
  EXPECT_EQ(with_links({LinkId(0), LinkId(1), LinkId(0)}), 2U);
  EXPECT_THROW((void)with_links({LinkId(0), LinkId(2), LinkId(0)}), std::logic_error) << "a gap";
  EXPECT_THROW((void)with_links({LinkId(0), LinkId(9), LinkId(1)}), std::logic_error) << "more than channels";
  TopologyBuilder elsewhere = three_channels();
  elsewhere.connect({SwitchId(0), 3}, {SwitchId(7), 0});
  EXPECT_THROW((void)std::move(elsewhere).build("test", "up-down"), std::logic_error);
  TopologyBuilder unknown = three_channels();
  unknown.attach(TerminalId(5), {SwitchId(0), 3});
  EXPECT_THROW((void)std::move(unknown).build("test", "up-down"), std::logic_error);
  TopologyBuilder nowhere = three_channels();
  nowhere.connect({SwitchId(0), 3}, {SwitchId(), 0});
  EXPECT_THROW((void)std::move(nowhere).build("test", "up-down"), std::logic_error);
  TopologyBuilder of_nobody = three_channels();
  of_nobody.connect_injection(TerminalId(), {SwitchId(0), 3});
  EXPECT_THROW((void)std::move(of_nobody).build("test", "up-down"), std::logic_error);
  const auto refusal = [](TopologyBuilder builder) -> std::string {
    try {
      (void)std::move(builder).build("test", "up-down");
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "none";
  };
  TopologyBuilder back = three_channels();
  back.connect({SwitchId(1), 3}, {SwitchId(1), 4});
  EXPECT_EQ(refusal(std::move(back)),
            "test: the channel from switch 1 port 3 to switch 1 port 4 leads back to its switch");
  TopologyBuilder at_once = three_channels();
  at_once.attach(at_once.add_terminal(), {SwitchId(1), 3}, 0);
  EXPECT_EQ(refusal(std::move(at_once)),
            "test: the channel from terminal 0 to switch 1 port 3 takes 0 cycles; must take at least 1");
  TopologyBuilder slow = three_channels();
  slow.connect({SwitchId(0), 3}, {SwitchId(1), 3}, 65'537);
  EXPECT_EQ(refusal(std::move(slow)),
            "test: the channel from switch 0 port 3 to switch 1 port 3 takes 65537 cycles; must take at most "
            "65536");
  TopologyBuilder high = three_channels();
  high.connect({SwitchId(0), 3}, {SwitchId(1), 0x80000000});
  EXPECT_EQ(
      refusal(std::move(high)),
      "test: the channel from switch 0 port 3 to switch 1 port 2147483648 is at a port above 2147483647");
  TopologyBuilder shared = three_channels();
  shared.connect({SwitchId(0), 2}, {SwitchId(1), 5});
  EXPECT_EQ(
      refusal(std::move(shared)),
      "test: two channels on one port of switch 0: switch 0[2] -> switch 1[2] and switch 0[2] -> switch "
      "1[5] on port 2");
  TopologyBuilder alike = three_channels();
  alike.add_switch({}, "spine");
  alike.add_terminal("spine");
  EXPECT_THROW((void)std::move(alike).build("test", "up-down"), std::logic_error);
}

TEST(Misuse, AttachmentsAreToSwitchesOfTheNetwork) {
  const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, 4};
  EXPECT_NO_THROW((void)build_switched(ring, {{0, 3}}, "test"));
  EXPECT_THROW((void)build_switched(ring, {{0, 99}}, "test"), std::logic_error);
  EXPECT_THROW((void)lay_out(ring, {{0, 4}}, {}, {}), std::logic_error);
  const SwitchNetwork wrapped{SwitchNetwork::Shape::torus, 0x10000, 0x10000};  // 2^32 switches
  EXPECT_THROW((void)build_switched(wrapped, {{0}}, "test"), std::logic_error);
}

TEST(Misuse, LabellingsAreOfNetworksThatThereAre) {
  EXPECT_EQ(StageDigits(2, 20).terminal_count(), 1U << 20);
  for (const auto& [k, n] : {std::pair{2U, 32U}, {2U, 21U}, {4U, 0U}, {0U, 3U}, {1U, 3U}, {0xffffffffU, 2U}})
    EXPECT_THROW((void)StageDigits(k, n), std::logic_error) << k << ' ' << n;
  EXPECT_THROW((void)CartesianLabelling({}, true, 1, {}), std::logic_error);
  EXPECT_THROW((void)CartesianLabelling({0x10001}, true, 1, {}), std::logic_error);
  EXPECT_THROW((void)CartesianLabelling({4}, true, 0, {}), std::logic_error);
}

TEST(Misuse, AFaultIsOfTheTopology) {
  const Topology topology = three_channels().build("test", "up-down");
  FaultSet faults(topology);
  EXPECT_THROW(faults.fail(ChannelId(3)), std::out_of_range);
  EXPECT_THROW(faults.fail(topology, SwitchId(2)), std::out_of_range);
  EXPECT_THROW(faults.fail(topology, LinkId(3)), std::out_of_range);
  EXPECT_THROW(faults.fail(topology, TerminalId(0)), std::out_of_range);
}

TEST(Misuse, FaultsAreOfTheNetworkThatIsAsked) {
  const TopologyPtr torus = build_topology(parse_compact("topology", "torus:radix=3x3"));
  const TopologyPtr other = build_topology(parse_compact("topology", "torus:radix=4x4"));
  const RelationPtr relation = build_healthy_relation(torus, parse_compact("routing", "dimension-order"));
  const FaultSet elsewhere(*other);
  const FaultComponents links(other, FaultUnit::link, FaultScope::network);
  EXPECT_THROW((void)verify(*relation, elsewhere, {}), Error);
  EXPECT_THROW((void)verify_fault_sets(torus, links, {.max_faults = 1, .max_sets = 1}, {}), Error);
  EXPECT_THROW((void)admissible_relation(relation, {.dead = elsewhere}), Error);
  EXPECT_THROW((void)ResilienceStudy(relation, Survival::fixed_paths, links), Error);
  EXPECT_THROW((void)ResilienceStudy(nullptr, Survival::fixed_paths, links), Error);
  const PatternPtr uniform = build_pattern(*torus, 1, parse_compact("traffic", "uniform"));
  EXPECT_NO_THROW((void)simulate(*relation, *uniform, {.measurement = {.cycles = 100}}));
  EXPECT_THROW((void)simulate(*relation, *uniform, {.faults = {.unseen = elsewhere}}), Error);
  EXPECT_THROW((void)simulate(*relation, *uniform, {.faults = {.dead = elsewhere}}), Error);
  EXPECT_THROW((void)zero_load_latency(*relation, TerminalId(0), TerminalId(9), {}), Error);
}

struct SendsNowhere : TrafficPattern {
  [[nodiscard]] TerminalId destination(TerminalId /*source*/, std::uint64_t /*random*/) const override {
    return TerminalId(9);
  }
};
struct ChoosesNothing : SourceAgent {
  std::size_t choose(TerminalId /*destination*/, std::span<const RouteOption> ways,
                     std::uint64_t /*random*/) override {
    return ways.size();
  }
};

TEST(Misuse, WhatAPluginChoosesIsThere) {
  const TopologyPtr torus = build_topology(parse_compact("topology", "torus:radix=3x3"));
  const PatternPtr uniform = build_pattern(*torus, 1, parse_compact("traffic", "uniform"));
  const RelationPtr relation = build_healthy_relation(torus, parse_compact("routing", "minimal-adaptive"));
  for (const Switches& switches : {Switches(CutThroughSwitches{}), Switches(WormholeSwitches{})}) {
    const SimulationSpec spec{.switches = switches, .measurement = {.cycles = 1000}};
    EXPECT_THROW((void)simulate(*relation, SendsNowhere(), spec), Error);
    SimulationSpec picks_none = spec;
    picks_none.selection.pick = [](std::span<const Way> ways, std::uint32_t /*random*/) {
      return ways.size();
    };
    EXPECT_THROW((void)simulate(*relation, *uniform, picks_none), Error);
  }
  for (const AgentMaker& maker :
       {AgentMaker(), AgentMaker([](const AgentContext&) { return nullptr; }),
        AgentMaker([](const AgentContext&) { return std::make_unique<ChoosesNothing>(); })}) {
    SimulationSpec spec{.measurement = {.cycles = 1000}};
    spec.cut_through().agents = SourceAgents{.maker = maker};
    EXPECT_THROW((void)simulate(*relation, *uniform, spec), Error);
  }
}

/// A relation without a search for plans, of sources that are said to plan.
TEST(Misuse, PlansNeedASearch) {
  const TopologyPtr torus = build_topology(parse_compact("topology", "torus:radix=3x3"));
  const RelationPtr relation = build_healthy_relation(torus, parse_compact("routing", "dimension-order"));
  EXPECT_THROW((void)ResilienceStudy(relation, Survival::plans,
                                     FaultComponents(torus, FaultUnit::link, FaultScope::network)),
               Error);
}

TEST(Misuse, NothingVerifiedIsNoVerdict) {
  const TopologyPtr torus = build_topology(parse_compact("topology", "torus:radix=3x3"));
  const FaultComponents links(torus, FaultUnit::link, FaultScope::network);
  EXPECT_THROW((void)verify_fault_sets(torus, links, {.max_faults = 1}, {}), Error);
}

TEST(Misuse, AKindHasItsParts) {
  EXPECT_TRUE(TopologyParams<Complete>);
  EXPECT_FALSE(TopologyParams<NoSamples>);
  EXPECT_FALSE(TopologyParams<BuildsAPointer>);
}

}  // namespace
}  // namespace faultline
