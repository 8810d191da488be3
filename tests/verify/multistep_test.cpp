// SPDX-License-Identifier: Apache-2.0
// Multistep paths: the options of the relations `drb` and `ft-drb`, and that none of them deadlocks, whatever
// sources choose and whenever channels fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "agent/path_of.h"
#include "faultline/resilience/resilience.h"
#include "routing/multistep/base_routes.h"
#include "support/broken_relations.h"
#include "support/effort.h"
#include "support/error_message.h"
#include "verify/examples.h"

namespace faultline {
namespace {

RelationPtr built(std::string_view topology, std::string_view routing) {
  return build_healthy_relation(build_topology(parse_compact("topology", topology)),
                                parse_compact("routing", routing));
}

/// Each option of each tier may be the only living one: whatever fails, and whenever. Virtual channels that
/// are not needed for the proof are left out. `one_vc`: every segment on the same one.
class AtAnyTime final : public RoutingRelation {
 public:
  explicit AtAnyTime(RelationPtr base, bool one_vc = false)
      : RoutingRelation(base->shared_topology()), base_(std::move(base)), one_vc_(one_vc) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_->inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    base_->route(state, options);
    for (RouteOption& option : options) {
      option.tier = 0;
      option.vcs &= 7U;
      if (one_vc_) option.vcs = 1;
    }
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 3; }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_->bubble_rings(); }

 private:
  RelationPtr base_;
  bool one_vc_;
};

/// A packet is committed to each of its options in turn: none of them may be part of a cycle.
bool is_free_of_deadlock(const RoutingRelation& relation) {
  const VerifySpec spec{.switching = Switching::cut_through, .selection_commits = true, .listed_pairs = 0};
  return verify(relation, FaultSet(relation.topology()), spec).deadlock_free;
}

class Multistep : public testing::TestWithParam<const char*> {};

TEST_P(Multistep, IsProvedFreeOfDeadlockWhileNothingFails) {
  for (const char* routing : {"drb", "ft-drb", "ft-drb:adaptive_vcs=0", "ft-drb:adaptive_vcs=2,paths=3"}) {
    const RelationPtr relation = built(GetParam(), routing);
    const Verdict verdict = verify(*relation, FaultSet(relation->topology()), {});
    EXPECT_TRUE(verdict.positive()) << routing << ": " << to_string(verdict.method);
  }
}

TEST_P(Multistep, IsProvedFreeOfDeadlockWhateverFailsAndWhenever) {
  for (const char* routing : {"drb", "ft-drb:paths=4", "ft-drb:adaptive_vcs=0,paths=2"})
    EXPECT_TRUE(is_free_of_deadlock(AtAnyTime(built(GetParam(), routing)))) << routing;
}

TEST_P(Multistep, ItIsTheSegmentsThatKeepItFree) {
  const AtAnyTime mixed(built(GetParam(), "ft-drb"), true);
  EXPECT_FALSE(is_free_of_deadlock(mixed));
}

/// The direct path is the base's; the others are different, and begin and end elsewhere if they can.
TEST_P(Multistep, PathsBeginWithTheDirectOne) {
  const RelationPtr relation = built(GetParam(), "ft-drb:paths=6");
  const Topology& topology = relation->topology();
  for (const TerminalId source : topology.terminals())
    for (const TerminalId destination : topology.terminals()) {
      RouteOptions ways;
      relation->inject(source, destination, ways);
      ASSERT_FALSE(ways.empty());
      EXPECT_EQ(ways.front().tag, 0U);
      std::set<std::vector<ChannelId>> paths;
      for (const RouteOption& way : ways) {
        const std::vector<ChannelId> path = path_of(*relation, way, destination);
        EXPECT_EQ(path.size() + 1, way.cost);
        EXPECT_TRUE(paths.insert(path).second) << "twice the same path";
        std::set<SwitchId> visited;
        for (const ChannelId channel : path)
          EXPECT_TRUE(visited.insert(topology.source(channel)).second) << "twice at a switch";
      }
    }
}

/// A torus of odd radix looks the same from every switch: so do the paths, whatever the switches' numbers.
TEST(MultistepPaths, AreAlikeForPairsThatLieAlike) {
  constexpr std::uint32_t radix = 25;  // more switches than there are bits to tell them apart by
  const RelationPtr relation = built("torus:radix=25x25", "drb");
  const auto costs = [&](std::uint32_t x, std::uint32_t y, std::uint32_t dx, std::uint32_t dy) {
    const auto terminal = [](std::uint32_t column, std::uint32_t row) {
      return TerminalId(column % radix + row % radix * radix);
    };
    RouteOptions ways;
    relation->inject(terminal(x, y), terminal(x + dx, y + dy), ways);
    std::vector<std::uint32_t> all;
    for (const RouteOption& way : ways) all.push_back(way.cost);
    return all;
  };
  for (const auto& [dx, dy] : {std::pair{1U, 0U}, {3U, 7U}, {12U, 12U}, {20U, 11U}, {0U, 13U}}) {
    const std::vector<std::uint32_t> expected = costs(0, 0, dx, dy);
    EXPECT_EQ(expected.size(), 7U);
    for (std::uint32_t at = 1; at < radix * radix; at += effort(1U, 7U))
      ASSERT_EQ(costs(at % radix, at / radix, dx, dy), expected) << at << ": " << dx << ", " << dy;
  }
}

/// So many paths begin and end with channels of their own that a source always finds one unless all links of
/// a switch with terminals fail: the least cut of these networks. Of `paths` paths one fewer fault is
/// tolerated.
TEST(MultistepPaths, TolerateAllFaultsButThoseOfASwitch) {
  for (const auto& [topology, routing, tolerated] : {std::tuple{"torus:radix=4x4", "drb", 3U},
                                                     {"torus:radix=5x5", "drb", 3U},
                                                     {"torus:radix=6", "drb", 1U},
                                                     {"torus:radix=5x5", "drb:paths=3", 2U},
                                                     {"hypercube:n=4", "drb", 3U},
                                                     {"mesh:radix=3x3", "drb", 1U},
                                                     {"fat-tree:k=3,n=2", "drb", 2U},
                                                     {"fat-tree:k=4,n=2", "ft-drb", 3U},
                                                     {"fat-tree:k=3,n=3", "drb", 2U}}) {
    const TopologyPtr network = build_topology(parse_compact("topology", topology));
    const Resolved<RoutingKind> kind = parse_compact("routing", routing);
    const FaultComponents links(network, FaultUnit::link, FaultScope::network);
    const RelationPtr relation = build_healthy_relation(network, kind);
    const ResilienceResult found =
        resilience(relation, Survival::fixed_paths, links,
                   {.conditions = {.knowledge = Knowledge::neighbours(), .source = SourceRole::plan}});
    EXPECT_EQ(found.tolerance.faults, tolerated) << topology << ' ' << routing;
  }
}

/// The last channel of the base routing's path, found by walking it.
TEST(MultistepPaths, KnowTheLastChannelOfTheBaseRouting) {
  for (const char* name : {"torus:radix=4x4", "mesh:radix=3x2", "fat-tree:k=2,n=3"}) {
    const TopologyPtr network = build_topology(parse_compact("topology", name));
    const RelationPtr base = build_healthy_relation(
        network, parse_compact("routing", name[0] == 'f' ? "destro" : "dimension-order"));
    const BaseRoutes routes(*base, "drb");
    for (const SwitchId at : network->switches())
      for (const TerminalId to : network->terminals()) {
        ChannelId last;
        routes.walk(at, to, [&](ChannelId channel) {
          last = channel;
          return true;
        });
        EXPECT_EQ(routes.last(at, to), last) << network->name(at) << " to " << network->name(to);
      }
  }
}

/// Two links between two switches, of which the base routing uses one.
TEST(MultistepPaths, AParallelLinkTakesOver) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=2"));
  for (const std::uint32_t link : {0U, 1U}) {
    FaultSet dead(*topology);
    for (const ChannelId channel : topology->channels(LinkId(link))) dead.fail(channel);
    const Damage damage{dead, Knowledge::neighbours(), SourceRole::any};
    const RelationPtr relation = build_relation(topology, damage, parse_compact("routing", "ft-drb:paths=1"));
    EXPECT_TRUE(verify(*relation, dead, {}).positive()) << link;
  }
}

/// One dead link: the switch that meets it routes packets of the direct path around it; all of them if every
/// switch has a terminal. Elsewhere a packet may have to be re-injected (tests/property).
TEST_P(Multistep, OneDeadLinkIsGoneAround) {
  const TopologyPtr topology = build_topology(parse_compact("topology", GetParam()));
  const bool terminals_everywhere = topology->terminal_count() >= topology->switch_count();
  for (std::uint32_t link = 0; link < topology->network_link_count(); link += effort(1U, 5U)) {
    FaultSet dead(*topology);
    for (const ChannelId channel : topology->channels(LinkId(link))) dead.fail(channel);
    const RelationPtr relation =
        build_relation(topology, Damage{dead, Knowledge::neighbours(), SourceRole::any},
                       parse_compact("routing", "ft-drb:paths=1"));
    const Verdict verdict = verify(*relation, dead, {});
    EXPECT_TRUE(verdict.deadlock_free && verdict.livelock_free()) << topology->name(LinkId(link));
    EXPECT_TRUE(verdict.connected() || !terminals_everywhere) << topology->name(LinkId(link));
  }
}

INSTANTIATE_TEST_SUITE_P(, Multistep,
                         testing::Values("mesh:radix=3x3", "torus:radix=4x4", "torus:radix=5x3",
                                         "torus:radix=2x3", "fat-tree:k=2,n=3", "hypercube:n=3"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(MultistepErrors, NamesWhatIsAllowed) {
  const TopologyPtr torus = build_topology(parse_compact("topology", "torus:radix=4x4"));
  const auto routing = [](std::string_view text) { return parse_compact("routing", text); };
  EXPECT_THROW((void)build_healthy_relation(torus, routing("ft-drb"), Switching::wormhole), Error)
      << "datelines need tags";
  try {
    (void)build_healthy_relation(torus, routing("ft-drb:base=duato"));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.parts().allowed.find("the given base has several virtual channels"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW((void)build_healthy_relation(torus, routing("ft-drb:base=destro")), Error);
  EXPECT_THROW((void)build_healthy_relation(torus, routing("ft-drb:intermediates=3")), Error);
}

/// The first option is a channel of another switch, or ejects at another terminal.
TEST(MultistepErrors, ABaseThatBreaksTheContractIsRefused) {
  std::size_t refused = 0;
  for (const testing_support::Broken::Breach& breach : testing_support::breaches()) {
    if (!breach.break_route || !breach.always_used) continue;
    SCOPED_TRACE(breach.name);
    const testing_support::Broken base(breach);
    EXPECT_THAT(testing_support::error_message([&] { (void)BaseRoutes(base, "drb"); }),
                testing::HasSubstr(breach.names));
    ++refused;
  }
  EXPECT_GE(refused, 3U);
}

/// It is resolved where the description is, before there is a network.
TEST(MultistepErrors, BaseIsARoutingOrAuto) {
  const auto refusal = [](std::string_view text) {
    try {
      (void)Resolved<RoutingKind>(parse_compact("routing", text));
    } catch (const Error& error) {
      return error.parts();
    }
    return Error::Parts{};
  };
  EXPECT_EQ(refusal("drb:base=auto").field, "");
  EXPECT_EQ(refusal("drb:base=dimension-order").field, "");
  EXPECT_EQ(refusal("drb:base=dimension-ordr").field, "routing.base");
  EXPECT_EQ(refusal("drb:base=dimension-ordr").suggestion, "dimension-order");
  EXPECT_EQ(refusal("drb:base=up-down:rot=1").field, "routing.base.rot");
}

}  // namespace
}  // namespace faultline
