// SPDX-License-Identifier: Apache-2.0
// The largest set of terminals that all reach each other, against plain graph searches and plain enumeration.
#include <gtest/gtest.h>

#include <set>

#include "faultline/base/random.h"
#include "faultline/resilience/lost_terminals.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "resilience/connections/largest_set.h"
#include "resilience/connections/lost_terminals.h"
#include "resilience/evaluate/fault_sets.h"
#include "support/effort.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Tries every set of vertices.
std::uint64_t heaviest_set(const std::vector<std::uint64_t>& weights, const Edges& edges) {
  std::uint64_t best = 0;
  for (std::uint32_t set = 0; set < 1U << weights.size(); ++set) {
    if (std::ranges::any_of(edges, [&](const auto& edge) {
          return (set >> edge.first & 1U) != 0 && (set >> edge.second & 1U) != 0;
        }))
      continue;
    std::uint64_t weight = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) weight += (set >> i & 1U) * weights[i];
    best = std::max(best, weight);
  }
  return best;
}

TEST(LargestSet, IsTheHeaviestOfAllSets) {
  RandomStream stream(7, 0);
  const auto random = [&](std::uint32_t count) { return stream.next_below(count); };
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t size = 1 + random(12);
    const std::uint32_t density = random(101);
    std::vector<std::uint64_t> weights;
    for (std::uint32_t i = 0; i < size; ++i) weights.push_back(random(round % 2 == 0 ? 2 : 9));
    Edges edges;
    for (std::uint32_t a = 0; a < size; ++a)
      for (std::uint32_t b = a + 1; b < size; ++b)
        if (random(100) < density) edges.emplace_back(a, b);
    const auto found = survival::largest_independent_set(weights, edges, 1'000'000);
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.weight, heaviest_set(weights, edges)) << "round " << round;
    const auto hurried = survival::largest_independent_set(weights, edges, 0);
    EXPECT_LE(hurried.weight, found.weight);
    if (hurried.exact) {
      EXPECT_EQ(hurried.weight, found.weight) << "round " << round;
    }
  }
}

TEST(LargestSet, GroupsThatDoNotReachEachOtherAreDecidedWithoutBranching) {
  // 60 vertices in 12 groups, every two of different groups joined by an edge.
  std::vector<std::uint64_t> weights(60, 1);
  Edges edges;
  for (std::uint32_t a = 0; a < 60; ++a)
    for (std::uint32_t b = a + 1; b < 60; ++b)
      if (a % 12 != b % 12) edges.emplace_back(a, b);
  weights[5] = 4;
  const auto found = survival::largest_independent_set(weights, edges, 12);
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.weight, 8U);
}

/// Walks the relation, or the topology, channel by channel.
class Walk {
 public:
  Walk(const SampleNetwork& network, const FaultSet& faults)
      : network_(network), topology_(network.relation->topology()) {
    for (const ChannelId channel : topology_.channels()) {
      bool usable = !faults.failed(channel);
      if (network.survival == Survival::any_path_two_way)
        for (const ChannelId other : topology_.channels(topology_.link(channel)))
          usable = usable && !faults.failed(other);
      usable_.push_back(usable);
    }
  }

  bool connected(TerminalId source, TerminalId destination) {
    destination_ = destination;
    seen_.clear();
    RouteOptions options;
    if (network_.survival == Survival::fixed_paths)
      network_.relation->inject(source, destination, options);
    else
      for (const ChannelId channel : topology_.injection(source)) options.push_back({.channel = channel});
    return any_leads_on(options);
  }

 private:
  bool any_leads_on(const RouteOptions& options) {
    for (const RouteOption& option : options) {
      if (!usable_[option.channel.index()]) continue;
      if (topology_.terminal(option.channel) == destination_ &&
          topology_.role(option.channel) == ChannelRole::ejection)
        return true;
      for (std::uint8_t vc = 0; vc < 32; ++vc)
        if ((option.vcs >> vc & 1U) != 0 && leads_on(option.channel, vc, option.tag)) return true;
    }
    return false;
  }

  bool leads_on(ChannelId held, std::uint8_t vc, Tag tag) {
    if (!seen_.insert({held.value(), vc, tag}).second) return false;
    const SwitchId at = topology_.target(held);
    if (!at.valid()) return false;
    RouteOptions options;
    if (network_.survival == Survival::fixed_paths)
      network_.relation->route({at, destination_, held, vc, tag}, options);
    else
      for (const ChannelId channel : topology_.outputs(at)) options.push_back({.channel = channel});
    return any_leads_on(options);
  }

  const SampleNetwork& network_;
  const Topology& topology_;
  std::vector<bool> usable_;
  TerminalId destination_;
  std::set<std::tuple<std::uint32_t, std::uint8_t, Tag>> seen_;
};

/// Bron and Kerbosch without refinement.
std::size_t largest_clique(const std::vector<std::uint32_t>& friends, std::uint32_t candidates,
                           std::size_t size) {
  std::size_t best = size;
  while (candidates != 0) {
    const auto vertex = static_cast<std::uint32_t>(std::countr_zero(candidates));
    candidates &= candidates - 1;
    best = std::max(best, largest_clique(friends, candidates & friends[vertex], size + 1));
  }
  return best;
}

std::uint32_t lost_by_walking(const SampleNetwork& network, const FaultSet& faults) {
  Walk walk(network, faults);
  const auto terminals = static_cast<std::uint32_t>(network.relation->topology().terminal_count());
  std::vector<std::uint32_t> friends(terminals);
  for (std::uint32_t a = 0; a < terminals; ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      if (walk.connected(TerminalId(a), TerminalId(b)) && walk.connected(TerminalId(b), TerminalId(a))) {
        friends[a] |= 1U << b;
        friends[b] |= 1U << a;
      }
  return terminals - static_cast<std::uint32_t>(largest_clique(friends, (1U << terminals) - 1, 0));
}

class LostTerminalsOf : public testing::TestWithParam<std::string> {};

void expect_what_walking_finds(const SampleNetwork& network) {
  if (network.relation->topology().terminal_count() > 16) return;
  for (const FaultUnit unit : {FaultUnit::channel, FaultUnit::link, FaultUnit::switch_, FaultUnit::terminal})
    for (const FaultScope scope : {FaultScope::network, FaultScope::all}) {
      const FaultComponents components(network.relation->shared_topology(), unit, scope);
      const survival::Subject subject{network.relation, network.survival, components};
      const auto evaluator = survival::make_evaluator(subject, "");
      survival::LostTerminals lost(survival::compile_connections(subject));
      survival::FaultSetSampler sampler(static_cast<std::uint32_t>(components.count()), 3);
      for (const std::size_t faults : {std::size_t{1}, std::size_t{3}, components.count() / 2}) {
        if (faults > components.count()) continue;
        survival::FaultBlock block{static_cast<std::uint32_t>(faults), effort(6U, 1U), {}};
        sampler.draw(block, 0);
        survival::Verdicts verdicts;
        evaluator->evaluate(block, verdicts);
        std::vector<survival::LostCount> counts;
        lost.count(block, verdicts, counts);
        for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
          EXPECT_TRUE(counts[lane].exact);
          ASSERT_EQ(counts[lane].terminals, lost_by_walking(network, components.fault_set(block.set(lane))))
              << network.name << " " << to_string(unit) << " " << to_string(scope) << " " << faults
              << " faults";
        }
      }
    }
}

TEST_P(LostTerminalsOf, AreWhatWalkingFinds) {
  for (const SampleNetwork& network : sample_networks(GetParam())) {
    expect_what_walking_finds(network);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, LostTerminalsOf, testing::ValuesIn(thinned(sample_topologies(), 4)));

TEST(LostTerminals, OfATreeCutInTwoAreOneHalf) {
  const SampleNetwork network = make_network("fat-tree:k=2,n=2");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  ResilienceSpec spec{.fractions = {.fault_counts = {0, 1, 8}, .lost_terminals = true}};
  const ResilienceResult result = resilience(network.relation, network.survival, components, spec);
  EXPECT_EQ(result.fractions.points[0].lost_terminals->worst, 0U);
  EXPECT_EQ(result.fractions.points[2].lost_terminals->worst,
            2U);  // two terminals are left together on a switch
  EXPECT_DOUBLE_EQ(result.fractions.points[2].lost_terminals->mean, 2.0);
  EXPECT_TRUE(result.fractions.points[2].lost_terminals->exact);
  spec.fractions.lost_terminals = false;
  EXPECT_FALSE(
      resilience(network.relation, network.survival, components, spec).fractions.points[0].lost_terminals);
}

/// Switches by column and row: whole columns leave few parts, every second switch leaves many.
TEST(LostTerminals, AreFoundWhileTheNetworkHasAtMost64Parts) {
  const auto lost = [](const char* name, auto is_dead) {
    const TopologyPtr topology = build_topology(parse_compact("topology", name));
    const FaultComponents switches(topology, FaultUnit::switch_, FaultScope::all);
    std::vector<std::uint32_t> set;
    for (std::uint32_t at = 0; at < switches.count(); ++at)
      if (is_dead(topology->position(SwitchId(at)))) set.push_back(at);
    return lost_terminals(switches, set).size();
  };
  EXPECT_EQ(lost("mesh:radix=9x8", [](const Position& at) { return at.column % 3 == 0; }), 72U - 2 * 8)
      << "left are two columns between dead ones";
  const auto chessboard = [](const Position& at) { return (at.row + at.column) % 2 == 0; };
  EXPECT_EQ(lost("mesh:radix=8x8", chessboard), 63U) << "32 parts of one switch";
  EXPECT_THROW((void)lost("mesh:radix=12x12", chessboard), Error) << "72 parts";
}

/// The set of parts is searched otherwise where there are more than 64: apart from each other without faults.
TEST(LostTerminals, OfANetworkInSeventyPartsAreAllButTwo) {
  TopologyBuilder builder;
  for (std::uint32_t at = 0; at < 70; ++at) {
    builder.add_switch({0, at});
    for (const std::uint32_t port : {0U, 1U}) builder.attach(builder.add_terminal(), {SwitchId(at), port});
  }
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("apart", "shortest-path"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::all);
  const ResilienceSpec spec{.fractions = {.fault_counts = {1}, .lost_terminals = true}};
  const auto relation = build_healthy_relation(topology, parse_compact("routing", "shortest-path"));
  const FaultPoint point = resilience(relation, Survival::any_path, links, spec).fractions.points[0];
  EXPECT_TRUE(point.exhaustive);
  EXPECT_EQ(point.lost_terminals->worst, 138U);
  EXPECT_EQ(point.lost_terminals->mean, 138);
}

/// As many as there are: but drawn, some repeatedly, and not uniformly.
TEST(LostTerminals, OfClusteredSetsAreOfDrawnOnes) {
  const SampleNetwork network = make_network("mesh:radix=4x4", "shortest-path");
  const FaultComponents links(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  FractionsSpec spec{.fault_counts = {1}, .samples = links.count(), .lost_terminals = true};
  const ResilienceStudy study(network.relation, network.survival, links);
  EXPECT_TRUE(study.fractions(spec).points.front().exhaustive);
  spec.placement.radius = 1;
  const FaultPoint point = study.fractions(spec).points.front();
  EXPECT_FALSE(point.exhaustive);
  EXPECT_FALSE(point.intolerable_sets);
  EXPECT_TRUE(point.lost_terminals->by_lost.empty());
}

TEST(LostTerminals, DoNotDependOnThreadsOrKernel) {
  const SampleNetwork network = make_network("torus:radix=4x4");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  ResilienceSpec spec{.fractions = {.fault_counts = {6}, .samples = 1500, .lost_terminals = true}};
  const auto expected = resilience(network.relation, network.survival, components, spec).fractions.points[0];
  ASSERT_GT(expected.lost_terminals->worst, 0U);
  for (const std::string kernel : {"word", "reference", ""})
    for (spec.conditions.threads = 1; spec.conditions.threads < 4; ++spec.conditions.threads) {
      spec.conditions.kernel = kernel;
      const auto got = resilience(network.relation, network.survival, components, spec).fractions.points[0];
      EXPECT_EQ(got.lost_terminals->worst, expected.lost_terminals->worst);
      EXPECT_EQ(got.lost_terminals->mean, expected.lost_terminals->mean);
    }
}

}  // namespace
}  // namespace faultline
