// SPDX-License-Identifier: Apache-2.0
// The routings of paper 3 under faults against the paper's algorithms, carried out by hand.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "faultline/fault/components.h"
#include "faultline/resilience/resilience.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/searching.h"
#include "faultline/topology/kind.h"
#include "study/journeys.h"
#include "support/effort.h"
#include "support/paper_mikant.h"

namespace faultline {
namespace {

using paper3::Dead;
using paper3::End;
using paper3::Journey;

/// The library's network and the paper's.
struct Pair {
  Pair(unsigned k_, unsigned n_) : k(k_), paper(k_, n_), nodes(paper.nodes()), switches(paper.switches()) {
    topology = build_topology(
        parse_compact("topology", "mikant:k=" + std::to_string(k) + ",n=" + std::to_string(n_)));
    std::map<std::string, SwitchId> by_name;
    for (const SwitchId at : topology->switches()) by_name[topology->name(at)] = at;
    for (const paper3::Switch& one : switches) {
      ids.push_back(by_name.at("g" + std::to_string(one.group) + "." + std::to_string(one.level) + "." +
                               std::to_string(paper.number(one.d))));
      of_id[ids.back().value()] = one;
    }
    EXPECT_EQ(by_name.size(), switches.size());
    EXPECT_EQ(topology->terminal_count(), nodes.size());
  }

  /// The same faults for both.
  [[nodiscard]] std::pair<Dead, FaultSet> dead_switches(const std::vector<std::size_t>& which) const {
    std::pair<Dead, FaultSet> both{{}, FaultSet(*topology)};
    for (const std::size_t i : which) {
      both.first.switches.insert(switches[i]);
      both.second.fail(*topology, ids[i]);
    }
    return both;
  }
  [[nodiscard]] std::pair<Dead, FaultSet> dead_links(std::mt19937& draw, std::size_t count) const {
    std::pair<Dead, FaultSet> both{{}, FaultSet(*topology)};
    const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t one = draw() % links.count();
      const ChannelId channel = links.channels(one).front();
      both.first.links.insert(
          {of_id.at(topology->source(channel).value()), of_id.at(topology->target(channel).value())});
      for (const ChannelId dead : links.channels(one)) both.second.fail(dead);
    }
    return both;
  }

  unsigned k;
  paper3::Mikant paper;
  std::vector<paper3::Node> nodes;  ///< by terminal
  std::vector<paper3::Switch> switches;
  std::vector<SwitchId> ids;  ///< of `switches`
  std::map<std::uint32_t, paper3::Switch> of_id;
  TopologyPtr topology;
};

RelationPtr used(const Pair& pair, const FaultSet& dead, const std::string& routing) {
  return build_relation(pair.topology, Damage{dead, Knowledge::neighbours(), SourceRole::any},
                        parse_compact("routing", routing));
}

/// The path of the library's packet; it always has one option, or none.
Journey follow(const Pair& pair, const RoutingRelation& relation, std::uint32_t from, std::uint32_t to) {
  RouteOptions options;
  relation.inject(TerminalId(from), TerminalId(to), options);
  if (options.empty()) return {End::not_sent, {}};
  EXPECT_EQ(options.size(), 1U);
  Journey journey{End::stuck, {}};
  std::set<std::pair<std::uint32_t, Tag>> met;
  while (true) {
    const RouteOption taken = options.front();
    if (pair.topology->role(taken.channel) == ChannelRole::ejection) {
      EXPECT_EQ(pair.topology->terminal(taken.channel), TerminalId(to));
      journey.end = End::arrived;
      return journey;
    }
    const SwitchId at = pair.topology->target(taken.channel);
    journey.switches.push_back(pair.of_id.at(at.value()));
    if (!met.insert({at.value(), taken.tag}).second) {
      journey.end = End::for_ever;
      journey.switches.pop_back();
      return journey;
    }
    options.clear();
    relation.route({at, TerminalId(to), taken.channel, 0, taken.tag}, options);
    if (options.empty()) return journey;
    const auto lowest = std::ranges::min_element(options, {}, &RouteOption::tier);
    EXPECT_EQ(std::ranges::count(options, lowest->tier, &RouteOption::tier), 1);
    std::iter_swap(options.begin(), lowest);
  }
}

/// Every hop goes forward as the algorithm allows, or undoes one that did.
void expect_backtracking(const Pair& pair, const Journey& journey, const paper3::Node& to, const Dead& dead) {
  const auto forward = [&](const paper3::Switch& from, const paper3::Switch& next) {
    const auto ways = pair.paper.forward(from, to);
    return std::ranges::find(ways, next) != ways.end();
  };
  for (std::size_t i = 1; i < journey.switches.size(); ++i) {
    const paper3::Switch &here = journey.switches[i - 1], &next = journey.switches[i];
    ASSERT_FALSE(dead.between(here, next));
    ASSERT_TRUE(forward(here, next) || forward(next, here)) << "hop " << i;
  }
}

struct Counts {
  std::size_t minimal = 0, one_port = 0, all_port = 0, go_back = 0, connected = 0, for_ever = 0;
};

class MikantUnderFaults : public testing::Test {
 protected:
  void check(const Pair& pair, const std::pair<Dead, FaultSet>& faults) {
    const auto& [dead, failed] = faults;
    const auto relation = [&](const char* routing) { return used(pair, failed, routing); };
    const RelationPtr minimal = relation("minimal"), one = relation("one-port"), all = relation("all-port"),
                      back = relation("go-back"), vcs = relation("go-back-vc:vcs=32");
    for (std::uint32_t from = 0; from < pair.nodes.size(); ++from)
      for (std::uint32_t to = 0; to < pair.nodes.size(); ++to) {
        if (from == to || HasFatalFailure()) continue;
        SCOPED_TRACE(testing::Message() << from << " -> " << to);
        const auto &s = pair.nodes[from], &t = pair.nodes[to];
        const auto same = [&](const RoutingRelation& routing, unsigned alternatives) {
          const Journey ours = follow(pair, routing, from, to);
          const Journey printed = pair.paper.walk(s, t, dead, alternatives);
          EXPECT_EQ(ours.end, printed.end);
          EXPECT_EQ(ours.switches, printed.switches);
          counts_.for_ever += alternatives == 1 && ours.end == End::for_ever ? 1 : 0;
          return ours.end == End::arrived;
        };
        const bool by_minimal = same(*minimal, 0), by_one = same(*one, 1), by_all = same(*all, pair.k - 1);
        const bool way = pair.paper.has_way(s, t, dead);
        check_search(pair, *back, from, to, dead, way, true);
        check_search(pair, *vcs, from, to, dead, way, false);
        const bool connected = pair.paper.connected(s, t, dead);
        EXPECT_LE(by_minimal, by_one);
        EXPECT_LE(by_one, by_all);
        EXPECT_LE(by_all, way);
        EXPECT_LE(way, connected);
        counts_.minimal += by_minimal;
        counts_.one_port += by_one;
        counts_.all_port += by_all;
        counts_.go_back += way;
        counts_.connected += connected;
      }
  }
  void check_search(const Pair& pair, const RoutingRelation& relation, std::uint32_t from, std::uint32_t to,
                    const Dead& dead, bool way, bool plain) {
    const Journey ours = follow(pair, relation, from, to);
    // Dead links alone can require more changes of groups than a head makes.
    EXPECT_LE(ours.end == End::arrived, way);
    EXPECT_TRUE(ours.end == End::arrived || !way || !dead.links.empty());
    EXPECT_NE(ours.end, End::for_ever);
    if (plain) {
      const Journey printed = pair.paper.backtrack(pair.nodes[from], pair.nodes[to], dead, 4);
      EXPECT_EQ(ours.end, printed.end);
      EXPECT_EQ(ours.switches, printed.switches);
    } else if (!ours.switches.empty()) {
      expect_backtracking(pair, ours, pair.nodes[to], dead);
    }
  }

  /// Every set of one and of two dead switches; of the second, every `stride`-th.
  void check_all(const Pair& pair, std::size_t stride = 1) {
    for (std::size_t a = 0; a < pair.switches.size() && !HasFailure(); ++a)
      for (std::size_t b = a; b < pair.switches.size() && !HasFailure(); b += stride) {
        SCOPED_TRACE(testing::Message() << "dead " << pair.topology->name(pair.ids[a]) << " "
                                        << pair.topology->name(pair.ids[b]));
        check(pair, pair.dead_switches({a, b}));
      }
  }

  Counts counts_;
};

TEST_F(MikantUnderFaults, AllSetsOfTwoSwitchesWithK2N3) {
  check_all(Pair(2, 3), effort(1U, 11U));
  // Both outcomes occurred.
  EXPECT_LT(counts_.minimal, counts_.one_port);
  EXPECT_EQ(counts_.one_port, counts_.all_port);  // with k = 2 there is one other port
  EXPECT_LT(counts_.all_port, counts_.go_back);
  EXPECT_LT(counts_.go_back, counts_.connected);
  EXPECT_GT(counts_.for_ever, 0U);
}

TEST_F(MikantUnderFaults, AllSetsOfTwoSwitchesWithK3N2) {
  check_all(Pair(3, 2));
  EXPECT_LT(counts_.minimal, counts_.one_port);
  EXPECT_LT(counts_.one_port, counts_.all_port);
}

/// Few sets: often none of those drawn has a pair that ends in a dead end.
TEST(MikantJourneys, IntervalsOfFewSetsCoverTheMeanOverAll) {
  const Pair pair(2, 3);
  const FaultComponents switches(pair.topology, FaultUnit::switch_, FaultScope::network);
  JourneysSpec spec{
      .routing = parse_compact("routing", "one-port"), .knowledge = Knowledge::neighbours(), .sets = 1000};
  const Journeys exact = follow_packets(pair.topology, switches, {2}, spec, {}).front();
  ASSERT_TRUE(exact.exhaustive);
  spec.sets = 10;
  int served = 0, dead_end = 0;
  constexpr int repetitions = 60;
  const auto covers = [](const MeanOverSets& drawn, const MeanOverSets& all) {
    EXPECT_GE(drawn.interval.low, 0);
    EXPECT_LE(drawn.interval.high, 1);
    return drawn.interval.low <= all.mean && all.mean <= drawn.interval.high ? 1 : 0;
  };
  for (spec.seed = 1; spec.seed <= repetitions; ++spec.seed) {
    const Journeys drawn = follow_packets(pair.topology, switches, {2}, spec, {}).front();
    served += covers(drawn.served, exact.served);
    dead_end += covers(drawn.dead_end, exact.dead_end);
  }
  // Fewer than 49 of 60 has a probability below 1e-4 where each covers with probability 0.95.
  EXPECT_GE(served, 49);
  EXPECT_GE(dead_end, 49);
}

TEST(MikantJourneys, HaveNoLengthWhereNoPairIsServed) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=2x2"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const JourneysSpec spec{.routing = parse_compact("routing", "dimension-order"), .sets = 3};
  const Journeys none = follow_packets(topology, links, {4}, spec, {}).front();
  EXPECT_EQ(none.served.mean, 0);
  EXPECT_FALSE(none.links.has_value() || none.shortest_links.has_value());
  const TopologyPtr alone = build_topology(parse_compact("topology", "switch-ring:n=3,terminals=1"));
  const FaultComponents switches(alone, FaultUnit::switch_, FaultScope::all);
  EXPECT_THROW((void)follow_packets(alone, switches, {1},
                                    {.routing = parse_compact("routing", "shortest-path"), .sets = 3}, {}),
               Error);
}

/// Fractions of pairs, and the links that those served travel, with packets moved by hand.
TEST(MikantJourneys, OnePortUnderEveryPairOfDeadSwitches) {
  const Pair pair(2, 3);
  const FaultComponents switches(pair.topology, FaultUnit::switch_, FaultScope::network);
  const auto points = follow_packets(pair.topology, switches, {0, 1, 2},
                                     {.routing = parse_compact("routing", "one-port"),
                                      .knowledge = Knowledge::neighbours(),
                                      .sets = 1000,
                                      .threads = 2},
                                     {});
  const auto total = static_cast<double>(pair.nodes.size() * (pair.nodes.size() - 1));
  double served = 0, ping_pong = 0, dead_leaf = 0, dead_end = 0, links = 0, sets = 0;
  for (std::size_t a = 0; a < pair.switches.size(); ++a)
    for (std::size_t b = 0; b < a; ++b, ++sets) {
      const Dead dead{{pair.switches[a], pair.switches[b]}, {}};
      double arrived = 0, travelled = 0;
      for (const auto& s : pair.nodes)
        for (const auto& t : pair.nodes) {
          if (&s == &t) continue;
          const Journey journey = pair.paper.walk(s, t, dead, 1);
          if (dead.switches.contains(pair.paper.of(s)) || dead.switches.contains(pair.paper.of(t))) {
            ++dead_leaf;
          } else if (journey.end == End::arrived) {
            ++arrived;
            travelled += static_cast<double>(journey.switches.size()) + 1;
          } else {
            ++(journey.end == End::for_ever ? ping_pong : dead_end);
          }
        }
      served += arrived;
      links += travelled / arrived;
    }
  ASSERT_EQ(points.size(), 3U);
  const Journeys& two = points.back();
  EXPECT_TRUE(two.exhaustive);
  EXPECT_EQ(static_cast<double>(two.sets), sets);
  EXPECT_NEAR(two.served.mean, served / total / sets, 1e-12);
  EXPECT_NEAR(two.ping_pong.mean, ping_pong / total / sets, 1e-12);
  EXPECT_NEAR(two.dead_leaf.mean, dead_leaf / total / sets, 1e-12);
  EXPECT_NEAR(two.dead_end.mean, dead_end / total / sets, 1e-12);
  EXPECT_NEAR(two.links.value().mean, links / sets, 1e-12);
  EXPECT_GT(two.ping_pong.mean, 0);
  EXPECT_GT(two.dead_end.mean, 0);
  EXPECT_EQ(points.front().links.value().mean,
            points.front().shortest_links.value().mean);  // minimal while nothing is dead
}

/// The circuit of the paths that go-back may try gives the same answer as the search itself, run by the
/// reference.
TEST(MikantJourneys, TheWaysThatGoBackMayTryStandForItsSearch) {
  for (const char* where : {"mikant:k=2,n=3", "mikant:k=3,n=2"}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", where));
    const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "go-back"));
    const auto* const searching = dynamic_cast<const Searching*>(relation.get());
    ASSERT_TRUE(searching != nullptr && searching->searched() != nullptr);
    const FaultComponents switches(topology, FaultUnit::switch_, FaultScope::network);
    const auto points = [&](const char* kernel) {
      return resilience(relation, Survival::fixed_paths, switches,
                        {.fractions = {.fault_counts = {1, 2, 3}, .samples = 300},
                         .conditions = {.knowledge = Knowledge::neighbours(), .kernel = kernel}})
          .fractions.points;
    };
    const auto fast = points(""), plain = points("reference");
    for (std::size_t i = 0; i < fast.size(); ++i) {
      EXPECT_EQ(fast[i].sets, plain[i].sets);
      EXPECT_EQ(fast[i].connected_pairs_fraction, plain[i].connected_pairs_fraction) << where << " " << i;
      EXPECT_EQ(fast[i].intolerable_fraction, plain[i].intolerable_fraction);
    }
  }
}

TEST_F(MikantUnderFaults, RandomSetsOfManySwitches) {
  std::mt19937 draw(14);
  for (const auto& [k, n] : std::vector<std::pair<unsigned, unsigned>>{{2, 4}, {3, 3}, {4, 2}}) {
    const Pair pair(k, n);
    for (int i = 0; i < effort(12, 1) && !HasFailure(); ++i) {
      std::vector<std::size_t> dead;
      for (std::size_t left = 3 + draw() % 6; left > 0; --left) dead.push_back(draw() % pair.switches.size());
      check(pair, pair.dead_switches(dead));
    }
  }
  EXPECT_LT(counts_.one_port, counts_.all_port);
  EXPECT_LT(counts_.all_port, counts_.go_back);
}

TEST_F(MikantUnderFaults, RandomSetsOfLinks) {
  std::mt19937 draw(15);
  for (const auto& [k, n] : thinned<std::pair<unsigned, unsigned>>({{2, 2}, {2, 3}, {3, 2}, {3, 3}}, 2)) {
    const Pair pair(k, n);
    for (int i = 0; i < effort(20, 1) && !HasFailure(); ++i)
      check(pair, pair.dead_links(draw, 1 + draw() % 5));
  }
}

}  // namespace
}  // namespace faultline
