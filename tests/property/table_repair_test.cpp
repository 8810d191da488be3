// SPDX-License-Identifier: Apache-2.0
// Repaired forwarding tables against plain searches: every pair that whole links connect has a path, the
// paths close no cycle of dependencies, and what needed no repair stays.
#include "routing/table_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "routing/acyclic_dependencies.h"
#include "routing/table_restore.h"
#include "support/effort.h"
#include "support/random_graph.h"
#include "support/weekly_seed.h"

namespace faultline {
namespace {

/// Channels by channels that depend on them, without counts, order or topology.
using Graph = std::map<std::uint32_t, std::set<std::uint32_t>>;

/// Depth first, by colours.
bool has_cycle(const Graph& graph) {
  std::map<std::uint32_t, int> colour;
  const auto visit = [&](auto&& self, std::uint32_t at) -> bool {
    colour[at] = 1;
    if (const auto next = graph.find(at); next != graph.end())
      for (const std::uint32_t other : next->second)
        if (colour[other] == 1 || (colour[other] == 0 && self(self, other))) return true;
    colour[at] = 2;
    return false;
  };
  return std::ranges::any_of(
      graph, [&](const auto& entry) { return colour[entry.first] == 0 && visit(visit, entry.first); });
}

/// Channels that are dead, with the other channels of their links.
std::set<std::uint32_t> unusable(const Topology& topology, const FaultSet& dead) {
  std::set<std::uint32_t> found;
  for (const ChannelId channel : topology.channels())
    for (const ChannelId other : topology.channels(topology.link(channel)))
      if (dead.failed(other)) found.insert(channel.value());
  return found;
}

/// The channels from a switch to the terminal; none if it does not arrive over channels that are alive.
std::vector<ChannelId> path(const Topology& topology, const ForwardingColumns& columns, std::size_t column,
                            SwitchId at, const std::set<std::uint32_t>& dead) {
  std::vector<ChannelId> taken;
  while (taken.size() <= topology.switch_count()) {
    const ChannelId next = columns.at(column, at);
    if (!next.valid() || dead.contains(next.value())) return {};
    taken.push_back(next);
    if (topology.role(next) == ChannelRole::ejection)
      return topology.terminal(next) == columns.terminal[column] ? taken : std::vector<ChannelId>{};
    at = topology.target(next);
  }
  return {};
}

std::set<std::uint32_t> reached_from(const Topology& topology, SwitchId start,
                                     const std::set<std::uint32_t>& dead) {
  std::set<std::uint32_t> reached{start.value()};
  for (bool grows = true; grows;) {
    grows = false;
    for (const ChannelId channel : topology.channels())
      if (topology.role(channel) == ChannelRole::network && !dead.contains(channel.value()) &&
          reached.contains(topology.source(channel).value()))
        grows = reached.insert(topology.target(channel).value()).second || grows;
  }
  return reached;
}

struct Judged {
  std::uint64_t broken = 0;       ///< pairs of a switch with a terminal and a column without a path before
  Graph kept, all;                ///< dependencies of the paths that were whole, and of all afterwards
  std::set<std::size_t> changed;  ///< columns in which a path that was whole is another one
};

Judged judge(const Topology& topology, const ForwardingColumns& before, const ForwardingColumns& after,
             const FaultSet& known) {
  const auto dead = unusable(topology, known);
  Judged judged;
  const auto add = [](Graph& graph, const std::vector<ChannelId>& taken) {
    for (std::size_t i = 0; i + 2 < taken.size(); ++i) graph[taken[i].value()].insert(taken[i + 1].value());
  };
  std::set<SwitchId> sources;
  for (const TerminalId terminal : topology.terminals())
    for (const ChannelId channel : topology.injection(terminal))
      if (!dead.contains(channel.value())) sources.insert(topology.target(channel));
  for (const SwitchId source : sources) {
    const auto reached = reached_from(topology, source, dead);
    for (std::size_t column = 0; column < before.count(); ++column) {
      const auto old = path(topology, before, column, source, dead);
      const auto made = path(topology, after, column, source, dead);
      const auto ejections = topology.ejection(before.terminal[column]);
      const bool connected = std::ranges::any_of(ejections, [&](ChannelId channel) {
        return !dead.contains(channel.value()) && reached.contains(topology.source(channel).value());
      });
      EXPECT_EQ(!made.empty(), connected)
          << topology.name(source) << " to " << topology.name(before.terminal[column]);
      EXPECT_EQ(after.at(column, source).valid(), connected);
      judged.broken += old.empty() ? 1 : 0;
      if (!old.empty() && made != old) judged.changed.insert(column);
      add(judged.kept, old);
      add(judged.all, made);
    }
  }
  return judged;
}

/// Also where no terminal's packets come.
void expect_that_entries_lead_on(const Topology& topology, const ForwardingColumns& columns,
                                 const FaultSet& known) {
  const auto dead = unusable(topology, known);
  for (std::size_t column = 0; column < columns.count(); ++column)
    for (const SwitchId at : topology.switches())
      if (columns.at(column, at).valid()) {
        EXPECT_FALSE(path(topology, columns, column, at, dead).empty())
            << topology.name(at) << " to " << topology.name(columns.terminal[column]);
      }
}

/// Shortest paths by random ports: their dependencies close cycles now and then.
ForwardingColumns random_tables(const Topology& topology, RandomStream& random) {
  ForwardingColumns columns{.switches = topology.switch_count(), .terminal = {}, .next = {}};
  columns.next.resize(topology.switch_count() * topology.terminal_count());
  for (const TerminalId terminal : topology.terminals()) {
    const std::size_t column = columns.count();
    columns.terminal.push_back(terminal);
    const ChannelId ejection = topology.ejection(terminal).front();
    columns.at(column, topology.source(ejection)) = ejection;
    std::vector<SwitchId> layer{topology.source(ejection)};
    std::set<SwitchId> done{layer.front()};
    while (!layer.empty()) {
      std::map<SwitchId, std::vector<ChannelId>> ways;
      for (const SwitchId to : layer)
        for (const ChannelId channel : topology.inputs(to))
          if (topology.role(channel) == ChannelRole::network && !done.contains(topology.source(channel)))
            ways[topology.source(channel)].push_back(channel);
      layer.clear();
      for (const auto& [from, channels] : ways) {
        columns.at(column, from) = channels[random.next_below(static_cast<std::uint32_t>(channels.size()))];
        done.insert(from);
        layer.push_back(from);
      }
    }
  }
  return columns;
}

TopologyPtr random_network(RandomStream& random, std::uint64_t seed) {
  const std::uint32_t switches = 3 + random.next_below(10);
  return random_graph(switches, random.next_below(2 * switches), 1 + random.next_below(14), seed);
}

FaultSet random_faults(const Topology& topology, RandomStream& random) {
  FaultSet dead(topology);
  for (std::uint32_t count = random.next_below(6); count > 0; --count) switch (random.next_below(6)) {
      case 0:
        dead.fail(topology, SwitchId(random.next_below(static_cast<std::uint32_t>(topology.switch_count()))));
        break;
      case 1:
        dead.fail(ChannelId(random.next_below(static_cast<std::uint32_t>(topology.channel_count()))));
        break;
      default:
        dead.fail(topology,
                  LinkId(random.next_below(static_cast<std::uint32_t>(topology.network_link_count()))));
    }
  return dead;
}

ForwardingColumns no_entries(const Topology& topology) {
  ForwardingColumns columns{.switches = topology.switch_count(), .terminal = {}, .next = {}};
  for (const TerminalId terminal : topology.terminals()) columns.terminal.push_back(terminal);
  columns.next.resize(columns.switches * columns.count());
  return columns;
}

std::uint64_t differing(const ForwardingColumns& before, const ForwardingColumns& after) {
  std::uint64_t entries = 0;
  for (std::size_t i = 0; i < before.next.size(); ++i) entries += before.next[i] != after.next[i] ? 1 : 0;
  return entries;
}

/// Repairs, by what they had to change.
struct Repairs {
  int cyclic = 0, anew = 0, kept = 0;

  void add_random_one(std::uint64_t seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, 1);
    const TopologyPtr topology = random_network(random, seed);
    const ForwardingColumns before =
        random.next_below(3) == 0 ? random_tables(*topology, random)
                                  : repair(*topology, FaultSet(*topology), no_entries(*topology), 0).columns;
    const FaultSet dead = random_faults(*topology, random);
    const RepairedColumns repaired =
        repair(*topology, dead, before, random.next_below(4), random.next_below(3));
    const Judged judged = judge(*topology, before, repaired.columns, dead);
    EXPECT_EQ(repaired.breaks_cycles, has_cycle(judged.kept));
    EXPECT_FALSE(has_cycle(judged.all));
    EXPECT_EQ(repaired.columns_chosen_anew, judged.changed.size());
    expect_that_entries_lead_on(*topology, repaired.columns, dead);
    if (dead.empty()) {
      EXPECT_EQ(repaired.columns.next == before.next, !repaired.breaks_cycles);
    }
    cyclic += repaired.breaks_cycles ? 1 : 0;
    anew += repaired.columns_chosen_anew != 0 ? 1 : 0;
    kept += judged.broken != 0 && repaired.columns_chosen_anew == 0 ? 1 : 0;
  }
};

TEST(TableRepair, ConnectsAndClosesNoCycleOnRandomGraphs) {
  Repairs repairs;
  for (std::uint64_t i = 0; i < effort(4000U, 700U) && !testing::Test::HasFailure(); ++i)
    repairs.add_random_one(weekly_seed() + i);
  if (testing::Test::HasFailure()) return;
  EXPECT_GT(repairs.kept, effort(500, 50)) << "repairs that change nothing else";
  if (under_sanitizers) return;  // too few for the rare ones to be certain
  EXPECT_GT(repairs.cyclic, 5) << "tables whose own paths close a cycle";
  EXPECT_GT(repairs.anew, 5) << "repairs that need a path elsewhere";
}

/// A path that was whole, of a switch to which packets came only over a dead link, has changed.
TEST(TableRepair, CountsOnlyPathsOnWhichPacketsCame) {
  Repairs repairs;
  repairs.add_random_one(2027051638);
  EXPECT_EQ(repairs.anew, 0);
}

/// On a torus with one virtual channel there is little room: most repairs have to choose paths anew.
TEST(TableRepair, OfAToroidalNetworkEndsWithASpanningTreeAtWorst) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=5x5"));
  const FaultSet none(*topology);
  const ForwardingColumns before = repair(*topology, none, no_entries(*topology), 0).columns;
  EXPECT_FALSE(has_cycle(judge(*topology, before, before, none).all));
  std::uint64_t anew = 0;
  for (std::uint32_t link = 0; link < topology->network_link_count(); ++link) {
    FaultSet dead(*topology);
    dead.fail(*topology, LinkId(link));
    dead.fail(*topology, LinkId((link * 7 + 3) % topology->network_link_count()));
    for (const std::size_t cuts_per_column : {0U, 8U}) {
      const RepairedColumns repaired = repair(*topology, dead, before, 1.5, cuts_per_column);
      const Judged judged = judge(*topology, before, repaired.columns, dead);
      EXPECT_FALSE(has_cycle(judged.all)) << "link " << link;
      EXPECT_EQ(repaired.columns_chosen_anew, judged.changed.size()) << "link " << link;
      anew += repaired.columns_chosen_anew;
    }
  }
  EXPECT_GT(anew, 0U);
}

/// There the dependencies of whole paths leave so little room that many others have to make some.
TEST(TableRepair, ConnectsAndClosesNoCycleOnRandomTori) {
  std::uint64_t anew = 0;
  for (std::uint64_t i = 0; i < 150; ++i) {
    const std::uint64_t seed = weekly_seed() + i;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, 4);
    constexpr std::array radices{"4x4", "5x4", "5x5", "3x3x3", "6x4"};
    const TopologyPtr topology = build_topology(
        parse_compact("topology", std::string("torus:radix=") + radices[random.next_below(radices.size())]));
    const ForwardingColumns before = repair(*topology, FaultSet(*topology), no_entries(*topology), 0).columns;
    const FaultSet dead = random_faults(*topology, random);
    const RepairedColumns repaired = repair(*topology, dead, before, 1.5, random.next_below(4));
    const Judged judged = judge(*topology, before, repaired.columns, dead);
    EXPECT_FALSE(has_cycle(judged.all));
    EXPECT_EQ(repaired.columns_chosen_anew, judged.changed.size());
    anew += judged.changed.size();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(anew, 50U) << "columns that make room";
}

/// Where other paths have to make room, no more do than have to: fewer entries change than pairs of a switch
/// and an address have lost their path.
TEST(TableRepair, OfAToroidalNetworkChangesFewEntries) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=8x8"));
  const FaultSet none(*topology);
  const ForwardingColumns before = repair(*topology, none, no_entries(*topology), 0).columns;
  std::uint64_t changed = 0, broken = 0, anew = 0;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    RandomStream random(seed, 3);
    FaultSet dead(*topology);
    for (std::uint32_t count = 0; count < 1 + seed % 4; ++count)
      dead.fail(*topology,
                LinkId(random.next_below(static_cast<std::uint32_t>(topology->network_link_count()))));
    const RepairedColumns repaired = repair(*topology, dead, before, 1.5);
    const Judged judged = judge(*topology, before, repaired.columns, dead);
    EXPECT_FALSE(has_cycle(judged.all)) << "seed " << seed;
    EXPECT_EQ(repaired.columns_chosen_anew, judged.changed.size()) << "seed " << seed;
    changed += differing(before, repaired.columns);
    broken += judged.broken;
    anew += judged.changed.size();
  }
  EXPECT_GT(anew, 50U) << "columns that make room";
  EXPECT_LT(changed, broken);
}

/// Some of what has failed is repaired: entries come back where their paths are whole again, and all of them
/// once nothing is dead.
TEST(TableRestore, BringsBackWhatIsWholeAgain) {
  int mixed = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t seed = weekly_seed() + i;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, 2);
    const TopologyPtr topology = random_network(random, seed);
    const ForwardingColumns reference =
        repair(*topology, FaultSet(*topology), no_entries(*topology), 0).columns;
    const ForwardingColumns in_use =
        repair(*topology, random_faults(*topology, random), reference, 1.5).columns;
    const FaultSet none(*topology), dead = random_faults(*topology, random);
    EXPECT_EQ(with_restored_paths(*topology, none, reference, in_use).next, reference.next);
    const ForwardingColumns restored = with_restored_paths(*topology, dead, reference, in_use);
    const auto unusable_now = unusable(*topology, dead);
    for (std::size_t column = 0; column < reference.count(); ++column) {
      const auto leads = [&](SwitchId at) {
        return !path(*topology, reference, column, at, unusable_now).empty();
      };
      const bool all = std::ranges::all_of(topology->channels(), [&](ChannelId channel) {
        return topology->role(channel) != ChannelRole::injection || unusable_now.contains(channel.value()) ||
               leads(topology->target(channel));
      });
      for (const SwitchId at : topology->switches()) {
        const bool is_whole = all || leads(at);
        ASSERT_EQ(restored.at(column, at), is_whole ? reference.at(column, at) : in_use.at(column, at));
        ASSERT_TRUE(all || path(*topology, in_use, column, at, unusable_now).empty() ||
                    !path(*topology, restored, column, at, unusable_now).empty())
            << "a path that was whole is lost";
      }
    }
    mixed += restored.next != reference.next && restored.next != in_use.next ? 1 : 0;
  }
  EXPECT_GT(mixed, 100);
}

/// In a tree where every switch has several ways up, one dead link costs no hop, and fewer entries change
/// than had a path over it.
TEST(TableRepair, OfATreeChangesFewEntries) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=4,n=3"));
  const ForwardingColumns before = repair(*topology, FaultSet(*topology), no_entries(*topology), 0).columns;
  for (std::uint32_t link = 0; link < topology->network_link_count(); link += effort(1U, 11U)) {
    FaultSet dead(*topology);
    dead.fail(*topology, LinkId(link));
    const RepairedColumns repaired = repair(*topology, dead, before, 1.5);
    EXPECT_TRUE(judge(*topology, before, repaired.columns, dead).changed.empty());
    std::uint64_t crossed = 0;
    for (std::size_t column = 0; column < before.count(); ++column)
      for (const SwitchId at : topology->switches()) {
        const auto old = path(*topology, before, column, at, {});
        crossed += std::ranges::any_of(old, [&](ChannelId c) { return dead.failed(c); }) ? 1 : 0;
        const bool is_source = std::ranges::any_of(topology->inputs(at), [&](ChannelId channel) {
          return topology->role(channel) == ChannelRole::injection;
        });
        if (is_source) {
          EXPECT_EQ(path(*topology, repaired.columns, column, at, {}).size(), old.size());
        }
      }
    EXPECT_LE(differing(before, repaired.columns), crossed) << "link " << link;
    EXPECT_EQ(repaired.columns_chosen_anew, 0U);
  }
}

/// Whatever comes and goes, add() refuses exactly what closes a cycle.
TEST(AcyclicDependencies, RefuseWhatClosesACycle) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint64_t seed = weekly_seed() + i;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, 2);
    const TopologyPtr topology = random_graph(4 + random.next_below(5), 6, 2, seed);
    std::vector<ChannelId> order;
    for (std::uint32_t channel = 0; channel < topology->network_channel_count(); ++channel)
      order.emplace_back(channel);
    for (std::size_t at = order.size(); at > 1; --at)
      std::swap(order[at - 1], order[random.next_below(static_cast<std::uint32_t>(at))]);
    auto dependencies = AcyclicDependencies::of(
        *topology, std::vector<std::uint32_t>(Dependencies(*topology).count()), order);
    ASSERT_TRUE(dependencies);
    std::vector<std::pair<ChannelId, ChannelId>> turns;
    for (const ChannelId held : order)
      for (const ChannelId wanted : topology->outputs(topology->target(held)))
        if (topology->role(wanted) == ChannelRole::network) turns.emplace_back(held, wanted);
    std::map<std::size_t, std::uint32_t> uses;
    const auto graph = [&] {
      Graph found;
      for (const auto& [turn, count] : uses)
        if (count != 0) found[turns[turn].first.value()].insert(turns[turn].second.value());
      return found;
    };
    for (int step = 0; step < 300; ++step) {
      const std::size_t turn = random.next_below(static_cast<std::uint32_t>(turns.size()));
      const auto& [held, wanted] = turns[turn];
      if (uses[turn] != 0 && random.next_below(3) == 0) {
        dependencies->remove(held, wanted);
        --uses[turn];
        continue;
      }
      Graph with = graph();
      with[held.value()].insert(wanted.value());
      const bool closes = has_cycle(with);
      ASSERT_EQ(dependencies->add(held, wanted), !closes) << "step " << step;
      if (!closes) ++uses[turn];
      ASSERT_EQ(dependencies->uses(held, wanted), uses[turn]);
      if (closes && held != wanted) {
        const auto chain = dependencies->chain(wanted, held);
        ASSERT_FALSE(chain.empty());
        EXPECT_EQ(chain.front(), wanted);
        EXPECT_EQ(chain.back(), held);
        const Graph now = graph();
        for (std::size_t at = 0; at + 1 < chain.size(); ++at)
          EXPECT_TRUE(now.at(chain[at].value()).contains(chain[at + 1].value()));
      }
    }
  }
}

/// Of random uses: what is left closes no cycle, and each that is taken out closes one with what is left and
/// is used as often or more.
TEST(AcyclicDependencies, TakesOutOnlyWhatClosesACycleWithMoreUsedOnes) {
  std::size_t taken_out = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t seed = weekly_seed() + i;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, 5);
    const TopologyPtr topology = random_graph(4 + random.next_below(5), 6, 2, seed);
    const Dependencies numbers(*topology);
    std::vector<std::uint32_t> uses(numbers.count());
    std::vector<ChannelId> order;
    std::vector<std::pair<ChannelId, ChannelId>> turns;
    for (std::uint32_t channel = 0; channel < topology->network_channel_count(); ++channel) {
      order.emplace_back(channel);
      for (const ChannelId wanted : topology->outputs(topology->target(ChannelId(channel))))
        if (topology->role(wanted) == ChannelRole::network) {
          turns.emplace_back(ChannelId(channel), wanted);
          uses[numbers.of(ChannelId(channel), wanted)] = random.next_below(5);
        }
    }
    const std::vector<bool> closing = closing_cycles(*topology, uses, order);
    const auto left_and_used = [&](std::uint32_t least) {
      Graph graph;
      for (const auto& [held, wanted] : turns)
        if (const std::size_t number = numbers.of(held, wanted); uses[number] >= least && !closing[number])
          graph[held.value()].insert(wanted.value());
      return graph;
    };
    ASSERT_FALSE(has_cycle(left_and_used(1)));
    for (const auto& [held, wanted] : turns) {
      const std::size_t number = numbers.of(held, wanted);
      if (!closing[number]) continue;
      ASSERT_NE(uses[number], 0U);
      Graph with = left_and_used(uses[number]);
      with[held.value()].insert(wanted.value());
      ASSERT_TRUE(has_cycle(with));
      ++taken_out;
    }
  }
  EXPECT_GT(taken_out, 200U);
}

/// What is refused is found out once, until a dependency is removed.
TEST(AcyclicDependencies, SearchOnceForWhatIsRefused) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=8"));
  std::vector<ChannelId> order, ring;
  for (std::uint32_t channel = 0; channel < topology->network_channel_count(); ++channel)
    order.emplace_back(channel);
  for (ChannelId next = order.front(); ring.empty() || next != ring.front();) {
    ring.push_back(next);
    for (const ChannelId output : topology->outputs(topology->target(next)))
      if (topology->role(output) == ChannelRole::network &&
          topology->target(output) != topology->source(next)) {
        next = output;
        break;
      }
  }
  ASSERT_EQ(ring.size(), 8U);
  auto dependencies =
      AcyclicDependencies::of(*topology, std::vector<std::uint32_t>(Dependencies(*topology).count()), order);
  ASSERT_TRUE(dependencies);
  for (std::size_t i = 0; i + 1 < ring.size(); ++i) ASSERT_TRUE(dependencies->add(ring[i], ring[i + 1]));
  EXPECT_FALSE(dependencies->add(ring.back(), ring.front()));
  const std::uint64_t before = dependencies->examined();
  EXPECT_GT(before, 0U);
  for (int again = 0; again < 10; ++again) EXPECT_FALSE(dependencies->add(ring.back(), ring.front()));
  EXPECT_EQ(dependencies->examined(), before);
  dependencies->remove(ring[3], ring[4]);
  EXPECT_TRUE(dependencies->add(ring.back(), ring.front()));
  EXPECT_FALSE(dependencies->add(ring[3], ring[4]));
}

/// Turning up again after going down, which tables for switches' own packets ask for at every switch, closes
/// cycles at all but a few. They are found from both of their ends: from one, half of the tree is examined.
TEST(AcyclicDependencies, LookAtFewChannelsOfALargeTree) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=8,n=3"));
  const Dependencies numbers(*topology);
  std::vector<std::uint32_t> uses(numbers.count());
  std::vector<ChannelId> order;
  const auto level = [&](SwitchId at) { return topology->position(at).column; };
  const auto goes_up = [&](ChannelId channel) {
    return level(topology->target(channel)) > level(topology->source(channel));
  };
  const auto for_each_turn = [&](const auto& visit) {
    for (std::uint32_t number = 0; number < topology->network_channel_count(); ++number)
      for (const ChannelId wanted : topology->outputs(topology->target(ChannelId(number))))
        if (topology->role(wanted) == ChannelRole::network &&
            topology->target(wanted) != topology->source(ChannelId(number)))
          visit(ChannelId(number), wanted);
  };
  for_each_turn([&](ChannelId held, ChannelId wanted) {
    if (goes_up(held) || !goes_up(wanted)) ++uses[numbers.of(held, wanted)];
  });
  for (std::uint32_t channel = 0; channel < topology->network_channel_count(); ++channel)
    order.emplace_back(channel);
  auto dependencies = AcyclicDependencies::of(*topology, std::move(uses), order);
  ASSERT_TRUE(dependencies);
  std::uint64_t asked = 0, refused = 0;
  for_each_turn([&](ChannelId held, ChannelId wanted) {
    if (goes_up(held) || !goes_up(wanted)) return;
    ++asked;
    refused += dependencies->add(held, wanted) ? 0 : 1;
  });
  EXPECT_GT(refused, asked / 2);
  EXPECT_LT(dependencies->examined(), 600 * asked);
}

}  // namespace
}  // namespace faultline
