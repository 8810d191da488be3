// SPDX-License-Identifier: Apache-2.0
// Lost terminals over all fault sets: one set of each class of symmetric ones, against every set by the
// definition.
#include "faultline/resilience/lost_terminals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "faultline/base/random.h"
#include "faultline/resilience/loss.h"
#include "faultline/resilience/resilience.h"
#include "faultline/topology/attachments.h"
#include "resilience/exhaustive/symmetries.h"
#include "support/effort.h"
#include "support/plain_losses.h"
#include "support/sample_networks.h"
#include "support/topology_named.h"

namespace faultline {
namespace {

using Set = std::vector<std::uint32_t>;

bool next_set(Set& set, std::uint32_t components) {
  for (std::size_t i = set.size(); i-- > 0;)
    if (set[i] + (set.size() - i) < components) {
      ++set[i];
      for (std::size_t j = i + 1; j < set.size(); ++j) set[j] = set[j - 1] + 1;
      return true;
    }
  return false;
}

EveryFaultSet by_definition(const FaultComponents& components, std::uint32_t faults) {
  const Topology& topology = components.topology();
  const PlainLosses losses(topology);
  const std::uint64_t all_pairs = topology.terminal_count() * (topology.terminal_count() - 1);
  EveryFaultSet sum;
  Set set(faults);
  for (std::uint32_t i = 0; i < faults; ++i) set[i] = i;
  do {
    const PlainLoss loss = losses.of(components.fault_set(set));
    ++sum.sets;
    if (loss.connected_pairs != all_pairs) ++sum.intolerable;
    sum.connected_pairs += loss.connected_pairs;
    if (sum.by_lost.size() <= loss.lost) {
      sum.by_lost.resize(loss.lost + 1);
      sum.worst_set = set;
    }
    ++sum.by_lost[loss.lost];
  } while (next_set(set, static_cast<std::uint32_t>(components.count())));
  return sum;
}

void expect_the_definition(const std::string& text, FaultUnits units, FaultScope scope, std::uint32_t faults,
                           std::optional<bool> is_symmetric) {
  const TopologyPtr topology = topology_named(text);
  const FaultComponents components(topology, units, scope);
  if (faults > components.count()) return;
  SCOPED_TRACE(text + " " + to_string(units) + " " + std::string(to_string(scope)) + " " +
               std::to_string(faults));
  const EveryFaultSet expected = by_definition(components, faults);
  for (const bool use_symmetry : {true, false}) {
    const EveryFaultSet got =
        every_fault_set(components, {.faults = faults, .use_symmetry = use_symmetry, .threads = 2});
    EXPECT_EQ(got.sets, expected.sets);
    EXPECT_EQ(got.intolerable, expected.intolerable);
    EXPECT_TRUE(got.connected_pairs == expected.connected_pairs);
    EXPECT_EQ(got.by_lost, expected.by_lost);
    EXPECT_EQ(got.worst_set, expected.worst_set);
    EXPECT_EQ(got.worst_terminals.size(), got.worst());
    EXPECT_TRUE(got.exact);
    EXPECT_TRUE(got.complete);
    if (!use_symmetry) {
      EXPECT_EQ(got.symmetries, 1U);
    } else if (is_symmetric) {
      EXPECT_EQ(got.symmetries > 1, *is_symmetric);
    }
    if (!use_symmetry) {
      EXPECT_EQ(got.classes, got.sets);
    }
  }
}

constexpr FaultUnits any_type = FaultUnit::switch_ | FaultUnit::link | FaultUnit::terminal;

/// All types of faults of the paper, and one-way channels.
void expect_the_definition(const std::string& text, std::uint32_t max_faults,
                           std::optional<bool> is_symmetric) {
  for (std::uint32_t faults = 0; faults <= max_faults; ++faults) {
    expect_the_definition(text, FaultUnit::switch_, FaultScope::all, faults + 1, is_symmetric);
    expect_the_definition(text, FaultUnit::link, FaultScope::network, faults, is_symmetric);
    expect_the_definition(text, FaultUnit::link, FaultScope::terminal, faults, is_symmetric);
    expect_the_definition(text, any_type, FaultScope::all, std::min(faults, 2U), is_symmetric);
  }
  expect_the_definition(text, FaultUnit::channel, FaultScope::all, 2, is_symmetric);
}

class RingOf : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RingOf, EveryFaultSetIsJudgedByTheDefinition) {
  const std::string ring = "switch-ring:n=" + std::to_string(GetParam());
  expect_the_definition(ring, 3, true);
  expect_the_definition(ring + ",attachment=naive", 3, true);
  expect_the_definition(ring, any_type, FaultScope::all, 3, true);
  if (GetParam() > 3) expect_the_definition(ring + ",degree=3", 3, true);
  expect_the_definition(ring + ",terminals=" + std::to_string(GetParam() + 1), 2, true);
}

TEST_P(RingOf, FiveFaultsAreJudgedByTheDefinition) {
  if (GetParam() < 5) return;
  const std::string ring = "switch-ring:n=" + std::to_string(GetParam()) + ",degree=3";
  expect_the_definition(ring, FaultUnit::switch_, FaultScope::all, 5, true);
  expect_the_definition(ring, FaultUnit::link, FaultScope::network, 5, true);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RingOf, testing::Range(3U, effort(9U, 6U)));

/// A file may give two channels one link that do not join the same two switches.
TEST(EveryFaultSet, TakesOnlyCablesForTwoWayLinks) {
  const auto can_list = [](const std::string& edges) {
    Description given = parse_compact("topology", "graph:file=net");
    given.files = std::make_shared<InputFiles>();
    given.files->add("net", edges);
    return can_list_fault_sets({build_topology(given), FaultUnit::link, FaultScope::network}, 1);
  };
  EXPECT_TRUE(can_list("a -> b link=0\nb -> a link=0\nb -> c link=1\nc -> b link=1\n"));
  EXPECT_FALSE(can_list("a -> b link=0\nb -> c link=0\nc -> a link=1\na -> c link=1\n"));
  EXPECT_FALSE(can_list("a -> b link=0\na -> b link=0\nb -> a link=1\nb -> a link=1\n"));
}

TEST(EveryFaultSet, IsJudgedByTheDefinitionInOtherNetworks) {
  expect_the_definition("switch-clique:switches=4,terminals=6", 2, true);
  expect_the_definition("switch-clique:switches=5,terminals=7,degree=3", 2, std::nullopt);
  expect_the_definition("switch-clique:switches=4,terminals=8,attachment=careless", 2, true);
  expect_the_definition("switch-ring:n=7,attachment=random,terminals=9", 2, std::nullopt);
  if (under_sanitizers) return;
  expect_the_definition("switch-torus:rows=3,columns=4", 2, true);
  expect_the_definition("switch-torus:rows=3,columns=3,along=diagonals", 2, true);
  expect_the_definition("switch-ring:n=8,degree=4,terminals=6,attachment=random", 3, std::nullopt);
  expect_the_definition("mesh:radix=3x3", 2, false);
}

TEST(EveryFaultSet, FindsPiecesOfAnyNumber) {
  // All links fail: as many pieces as switches, and families of every size.
  for (std::uint32_t faults = 4; faults <= 7; ++faults)
    for (const std::uint32_t degree : {2U, 3U, 4U})
      expect_the_definition("switch-ring:n=9,attachment=random,terminals=12,seed=" + std::to_string(faults) +
                                ",degree=" + std::to_string(degree),
                            FaultUnit::link, FaultScope::network, faults, std::nullopt);
}

TEST(EveryFaultSet, AnswersAsTheCircuitsDo) {
  for (const std::string text :
       {"switch-ring:n=7", "switch-ring:n=6,degree=3", "switch-torus:rows=3,columns=4",
        "switch-clique:switches=5,terminals=9,degree=2"}) {
    const SampleNetwork network = make_network(text);
    for (const FaultScope scope : {FaultScope::network, FaultScope::all}) {
      const FaultComponents components(network.relation->shared_topology(),
                                       FaultUnit::link | FaultUnit::switch_, scope);
      const ResilienceSpec spec{
          .fractions = {.fault_counts = {1, 2, 3}, .method = ResilienceMethod::exhaustive}};
      ResilienceSpec counted = spec;
      counted.fractions.lost_terminals = true;
      const auto plain = resilience(network.relation, network.survival, components, spec).fractions.points;
      const auto lost = resilience(network.relation, network.survival, components, counted).fractions.points;
      ASSERT_EQ(plain.size(), 3U);
      ASSERT_EQ(lost.size(), 3U);
      for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_EQ(lost[i].sets, plain[i].sets);
        EXPECT_TRUE(lost[i].exhaustive);
        EXPECT_EQ(lost[i].intolerable_sets, plain[i].intolerable_sets);
        EXPECT_DOUBLE_EQ(lost[i].intolerable_fraction, plain[i].intolerable_fraction);
        EXPECT_DOUBLE_EQ(lost[i].connected_pairs_fraction, plain[i].connected_pairs_fraction);
        EXPECT_DOUBLE_EQ(lost[i].connected_live_pairs_fraction, plain[i].connected_live_pairs_fraction);
        EXPECT_EQ(lost[i].lost_terminals->worst_set.size(), i + 1);
      }
    }
  }
}

TEST(EveryFaultSet, DoesNotDependOnThreads) {
  const FaultComponents components(topology_named("switch-ring:n=12,degree=3"), any_type, FaultScope::all);
  const EveryFaultSet one = every_fault_set(components, {.faults = 3});
  for (std::uint32_t threads = 2; threads < 5; ++threads) {
    const EveryFaultSet more = every_fault_set(components, {.faults = 3, .threads = threads});
    EXPECT_EQ(more.by_lost, one.by_lost);
    EXPECT_EQ(more.worst_set, one.worst_set);
    EXPECT_EQ(more.classes, one.classes);
  }
}

TEST(EveryFaultSet, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  const FaultComponents components(topology_named("switch-ring:n=12"), any_type, FaultScope::all);
  const EveryFaultSet none = every_fault_set(components, {.faults = 3, .stop = &stop});
  EXPECT_FALSE(none.complete);
  EXPECT_EQ(none.sets, 0U);
}

TEST(Symmetries, OfAConstructionAreThoseThatItHas) {
  const auto order = [](const std::string& text) {
    const FaultComponents components(topology_named(text), any_type, FaultScope::all);
    return every_fault_set(components, {.faults = 1}).symmetries;
  };
  EXPECT_EQ(order("switch-ring:n=9"), 18U);
  EXPECT_EQ(order("switch-ring:n=10"), 20U);
  EXPECT_EQ(order("switch-ring:n=10,degree=3"), 20U);
  EXPECT_EQ(order("switch-ring:n=9,degree=3"), 9U);  // Construction 3 turns one way round
  EXPECT_EQ(order("switch-ring:n=9,terminals=18"), 18U);
  EXPECT_EQ(order("switch-ring:n=9,terminals=10"), 2U);
  EXPECT_EQ(order("switch-torus:rows=3,columns=4"), 48U);
  EXPECT_EQ(order("switch-ring:n=9,attachment=random,seed=3"), 1U);
}

TEST(Symmetries, ThatAreNoneAreLeftOut) {
  const TopologyPtr topology = topology_named("switch-ring:n=5");
  const FaultComponents components(topology, FaultUnit::link, FaultScope::all);
  const auto network = survival::switch_graph(*topology);
  ASSERT_TRUE(network);
  const std::vector<std::vector<std::uint32_t>> candidates{{0, 1, 2, 3, 4}, {1, 0, 2, 3, 4}, {1, 2, 3, 4, 0}};
  EXPECT_EQ(survival::component_symmetries(components, *network, candidates).size(), 2U);
}

}  // namespace
}  // namespace faultline
