// SPDX-License-Identifier: Apache-2.0
// Resilience of routings whose sources plan, clustered fault sets, and the smallest failing set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "faultline/fault/clusters.h"
#include "faultline/resilience/resilience.h"
#include "faultline/topology/builder.h"
#include "resilience/cuts/tolerance.h"
#include "resilience/evaluate/every_set.h"
#include "resilience/evaluate/fault_sets.h"
#include "resilience/worst/failing_set.h"
#include "support/effort.h"
#include "support/sample_networks.h"
#include "support/simulate_support.h"

namespace faultline::survival {
namespace {

struct Grid {
  explicit Grid(const std::string& topology, const std::string& routing = "methodology",
                FaultUnits units = FaultUnit::link)
      : network(make_network(parse_compact("topology", topology), parse_compact("routing", routing))),
        components(network.relation->shared_topology(), units, FaultScope::network) {}
  [[nodiscard]] Subject subject() const {
    return {network.relation, network.survival, components, Knowledge::none(), SourceRole::plan};
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(components.count()); }

  SampleNetwork network;
  FaultComponents components;
};

bool fails(const Verdicts& verdicts, std::size_t lane) {
  return verdicts.lost_pairs[lane] != 0 && !verdicts.disconnected[lane];
}

/// Whether all sets of that many components, without using symmetry, are tolerated or disconnect the network.
bool all_tolerated(const Grid& grid, std::uint32_t faults) {
  return for_every_set(*make_evaluator(grid.subject(), "reference"), grid.count(), faults,
                       [](const FaultBlock& block, const Verdicts& verdicts) {
                         for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
                           if (fails(verdicts, lane)) return false;
                         return true;
                       });
}

TEST(Plans, ToleranceBySymmetryIsThatOfAllSets) {
  for (const char* routing : {"methodology", "methodology:mechanisms=i", "methodology:mechanisms=dm"})
    for (const char* topology : thinned<const char*>(
             {"torus:radix=4x3", "torus:radix=5x3", "mesh:radix=3x3", "torus:radix=4x4"}, 2)) {
      SCOPED_TRACE(std::string(topology) + " " + routing);
      const Grid grid(topology, routing);
      const Tolerance tolerance = tolerance_of_plans(grid.subject(), *make_evaluator(grid.subject(), ""));
      std::uint32_t wanted = 0;
      while (wanted < 3 && all_tolerated(grid, wanted + 1)) ++wanted;
      EXPECT_EQ(std::min(tolerance.faults, 3U), wanted);
      EXPECT_EQ(tolerance.witness.empty(), !tolerance.exact);
    }
}

TEST(Plans, EveryKernelGivesTheSameAnswer) {
  const Grid grid("torus:radix=4x4", "ft-fir", FaultUnit::link | FaultUnit::switch_);
  FaultSetSampler sampler(grid.count(), 7);
  FaultBlock block{.faults = 5, .lanes = 64, .members = {}};
  sampler.draw(block, 0);
  Verdicts wanted;
  make_evaluator(grid.subject(), "reference")->evaluate(block, wanted);
  for (const char* kernel : {"word", ""}) {
    Verdicts found;
    make_evaluator(grid.subject(), kernel)->clone()->evaluate(block, found);
    EXPECT_EQ(found.lost_pairs, wanted.lost_pairs);
    EXPECT_EQ(found.live_pairs, wanted.live_pairs);
    EXPECT_EQ(found.disconnected, wanted.disconnected);
  }
  EXPECT_GT(std::ranges::count_if(wanted.lost_pairs, [](std::uint64_t pairs) { return pairs != 0; }), 0);
}

TEST(Plans, PointsTellDisconnectedSetsFromUnservedOnes) {
  const Grid grid("torus:radix=3x3");
  const ResilienceResult result =
      resilience(grid.network.relation, grid.network.survival, grid.components,
                 {.fractions = {.fault_counts = {4}, .method = ResilienceMethod::exhaustive}});
  const FaultPoint& point = result.fractions.points.at(0);
  std::uint64_t disconnected = 0, unserved = 0;
  (void)for_every_set(*make_evaluator(grid.subject(), "reference"), grid.count(), 4,
                      [&](const FaultBlock& block, const Verdicts& verdicts) {
                        for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
                          disconnected += verdicts.disconnected[lane] ? 1 : 0;
                          unserved += fails(verdicts, lane) ? 1 : 0;
                        }
                        return true;
                      });
  ASSERT_TRUE(point.unserved);
  EXPECT_EQ(point.unserved->disconnected, disconnected);
  EXPECT_EQ(disconnected, 9U) << "the four links of a switch";
  EXPECT_EQ(point.unserved->sets, unserved);
  EXPECT_DOUBLE_EQ(point.unserved->fraction.value(),
                   static_cast<double>(unserved) / static_cast<double>(point.sets - disconnected));
}

/// Any three failed links of a square disconnect it: no set was examined that leaves it connected.
TEST(Plans, SayNothingWhereEverySetDisconnectsTheNetwork) {
  const Grid grid("mesh:radix=2x2");
  for (const ResilienceMethod method : {ResilienceMethod::exhaustive, ResilienceMethod::sampled}) {
    const FaultPoint point = resilience(grid.network.relation, grid.network.survival, grid.components,
                                        {.fractions = {.fault_counts = {3}, .method = method, .samples = 10}})
                                 .fractions.points.at(0);
    ASSERT_TRUE(point.unserved);
    EXPECT_EQ(point.unserved->disconnected, point.sets);
    EXPECT_EQ(point.unserved->fraction, std::nullopt);
    EXPECT_EQ(point.unserved->interval.low, 0);
    EXPECT_EQ(point.unserved->interval.high, 1);
  }
}

TEST(Plans, RefuseWhatNeedsACircuit) {
  const Grid grid("torus:radix=3x3");
  const auto ask = [&](ResilienceSpec spec) {
    return [&grid, given = std::move(spec)] {
      (void)resilience(grid.network.relation, grid.network.survival, grid.components, given);
    };
  };
  EXPECT_THROW(ask({.fractions = {.fault_counts = {2}, .method = ResilienceMethod::exact}})(), Error);
  EXPECT_THROW(ask({.fractions = {.fault_counts = {2}, .method = ResilienceMethod::rare}})(), Error);
  EXPECT_THROW(ask({.fractions = {.fault_counts = {2}}, .adversary = true})(), Error);
  EXPECT_THROW(ask({.cuts = 1})(), Error);
  EXPECT_NO_THROW(ask({.fractions = {.fault_counts = {2}}})());
}

TEST(Clusters, HoldWhatIsWithinTheRadius) {
  const Grid grid("torus:radix=8x8x8");
  // Both ends within 1 hop: the 6 links of the centre; within 2: 36, see the construction of the torus.
  for (const auto& [radius, links] : {std::pair{1U, 6U}, std::pair{2U, 36U}}) {
    const Clusters clusters(grid.components, radius, 0);
    ASSERT_EQ(clusters.centres(), 512U);
    for (const std::uint32_t centre : {0U, 77U, 511U}) EXPECT_EQ(clusters.around(centre).size(), links);
  }
  EXPECT_GE(Clusters(grid.components, 1, 15).around(5).size(), 15U) << "reaches farther for enough of them";
}

/// Floyd and Warshall's distances between all switches, channels taken in both directions.
std::vector<std::vector<std::uint32_t>> all_distances(const Topology& topology, std::uint32_t unreached) {
  const std::size_t count = topology.switch_count();
  std::vector<std::vector<std::uint32_t>> apart(count, std::vector<std::uint32_t>(count, unreached));
  for (std::size_t at = 0; at < count; ++at) apart[at][at] = 0;
  for (const ChannelId channel : topology.channels())
    if (topology.role(channel) == ChannelRole::network) {
      const std::size_t a = topology.source(channel).index(), b = topology.target(channel).index();
      apart[a][b] = apart[b][a] = 1;
    }
  for (std::size_t by = 0; by < count; ++by)
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b)
        if (apart[a][by] < unreached && apart[by][b] < unreached)
          apart[a][b] = std::min(apart[a][b], apart[a][by] + apart[by][b]);
  return apart;
}

TEST(Clusters, HoldWhatADistanceTableSays) {
  constexpr std::uint32_t unreached = 1000;
  for (const char* const name : {"mesh:radix=3x4", "fat-tree:k=2,n=3", "ruft:k=2,n=3", "switch-ring:n=5"}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", name));
    const auto apart = all_distances(*topology, unreached);
    const FaultComponents components(topology, every_fault_unit(), FaultScope::all);
    const auto count = static_cast<std::uint32_t>(components.count());
    for (const std::uint32_t radius : {0U, 1U, 2U})
      for (const std::uint32_t least : {0U, 7U, count}) {
        const Clusters clusters(components, radius, least);
        for (std::uint32_t centre = 0; centre < clusters.centres(); ++centre) {
          std::vector<std::pair<std::uint32_t, std::uint32_t>> nearest;
          for (std::uint32_t one = 0; one < count; ++one) {
            std::uint32_t farthest = 0;
            if (components.unit(one) == FaultUnit::switch_)
              farthest = apart[centre][components.member(one)];
            else
              for (const ChannelId channel : components.channels(one))
                for (const SwitchId end : {topology->source(channel), topology->target(channel)})
                  if (end.valid()) farthest = std::max(farthest, apart[centre][end.index()]);
            nearest.emplace_back(farthest, one);
          }
          std::ranges::sort(nearest);
          const std::uint32_t needed = least == 0 ? 0 : nearest[least - 1].first;
          std::vector<std::uint32_t> expected;
          for (const auto& [hops, one] : nearest)
            if (hops <= std::max(radius, needed)) expected.push_back(one);
          ASSERT_TRUE(std::ranges::equal(clusters.around(centre), expected))
              << name << ", radius " << radius << ", at least " << least << ", around " << centre;
        }
      }
  }
}

TEST(Clusters, HoldTheSwitchesWithinTheRadiusAndNoneThatIsApart) {
  TopologyBuilder builder;  // a row of six, and one by itself
  for (std::uint32_t at = 0; at < 7; ++at) builder.add_switch({0, at});
  for (std::uint32_t at = 1; at < 6; ++at) builder.connect_both({SwitchId(at - 1), 1}, {SwitchId(at), 0});
  builder.attach(builder.add_terminal(), {SwitchId(0), 2});
  builder.attach(builder.add_terminal(), {SwitchId(5), 2});
  const auto row = std::make_shared<const Topology>(std::move(builder).build("row", "shortest-path"));
  const FaultComponents switches(row, FaultUnit::switch_, FaultScope::network);
  const Clusters clusters(switches, 1, 0);
  EXPECT_THAT(clusters.around(0), testing::ElementsAre(0, 1));
  EXPECT_THAT(clusters.around(3), testing::UnorderedElementsAre(2, 3, 4));
  EXPECT_THAT(clusters.around(6), testing::ElementsAre(6));
}

TEST(Clusters, AreDrawnFromEvenly) {
  const Grid grid("torus:radix=4x4");
  const Clusters clusters(grid.components, 1, 0);
  FaultSetSampler sampler(grid.count(), 3);
  FaultBlock block{.faults = 2, .lanes = 48'000, .members = {}};
  sampler.draw(block, 0, clusters);
  // Every pair of links of one switch is as likely: 16 switches with 6 pairs each.
  std::map<std::set<std::uint32_t>, int> seen;
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
    const auto set = block.set(lane);
    ++seen[{set.begin(), set.end()}];
  }
  EXPECT_EQ(seen.size(), 96U);
  for (const auto& [set, times] : seen) EXPECT_NEAR(times, 500, 120) << "five standard deviations";
  FaultBlock again{.faults = 2, .lanes = 10, .members = {}};
  sampler.draw(again, 100, clusters);
  EXPECT_TRUE(std::ranges::equal(again.members, std::span(block.members).subspan(200, 20)));
}

TEST(FailingSet, IsMinimalAndAsSmallAsAny) {
  const Grid grid("torus:radix=4x4", "methodology:mechanisms=id");
  std::uint32_t smallest = 1;
  while (all_tolerated(grid, smallest)) ++smallest;
  const auto evaluator = make_evaluator(grid.subject(), "");
  const SmallestFailing found =
      smallest_failing(*evaluator, grid.components, {.seed = 1, .max_sets = 100'000});
  EXPECT_EQ(found.components.size(), smallest);
}

// ---- of other routings, against all sets: what is connected is found by joining the ends of living links

using testing_support::network;
using testing_support::Network;

struct Routed {
  const char *topology, *routing;
  FaultScope scope = FaultScope::network;

  friend void PrintTo(const Routed& routed, std::ostream* out) {
    *out << routed.topology << ' ' << routed.routing;
  }
};

std::size_t root_of(std::vector<std::size_t>& parents, std::size_t node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

bool is_connected(const Topology& topology, const FaultSet& dead) {
  std::vector<std::size_t> parents(topology.switch_count() + topology.terminal_count());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  for (const ChannelId channel : topology.channels()) {
    if (dead.failed(channel)) continue;
    const ChannelRole role = topology.role(channel);
    const std::size_t terminal =
        role == ChannelRole::network ? 0 : topology.switch_count() + topology.terminal(channel).index();
    const std::size_t from = role == ChannelRole::injection ? terminal : topology.source(channel).index();
    const std::size_t to = role == ChannelRole::ejection ? terminal : topology.target(channel).index();
    parents[root_of(parents, from)] = root_of(parents, to);
  }
  const std::size_t first = root_of(parents, topology.switch_count());
  for (std::size_t t = 0; t < topology.terminal_count(); ++t)
    if (root_of(parents, topology.switch_count() + t) != first) return false;
  return true;
}

/// Up to `most` components; 0: no such set.
std::size_t smallest_of_all(const Network& built, const FaultComponents& components, std::uint32_t most) {
  const auto evaluator = make_evaluator(
      {built.relation, Survival::fixed_paths, components, Knowledge::all(), SourceRole::any}, "reference");
  for (std::uint32_t size = 1; size <= most; ++size) {
    std::vector<char> chosen(components.count());
    std::fill_n(chosen.begin(), size, 1);
    do {
      std::vector<std::uint32_t> set;
      for (std::uint32_t c = 0; c < chosen.size(); ++c)
        if (chosen[c] != 0) set.push_back(c);
      Verdicts verdicts;
      evaluator->evaluate({size, 1, set}, verdicts);
      if (verdicts.lost_pairs[0] != 0 && is_connected(*built.topology, components.fault_set(set)))
        return size;
    } while (std::ranges::prev_permutation(chosen).found);
  }
  return 0;
}

class FailingSets : public testing::TestWithParam<Routed> {};

TEST_P(FailingSets, LeaveTheNetworkConnected) {
  const Network built = network(GetParam().topology, GetParam().routing);
  const FaultComponents components(built.topology, FaultUnit::link, GetParam().scope);
  ResilienceStudy study(built.relation, Survival::fixed_paths, components);
  const SmallestFailing found = study.smallest_failing();
  const std::size_t smallest = smallest_of_all(built, components, 3);
  if (smallest != 0) {
    EXPECT_EQ(found.components.size(), smallest);
  } else {
    EXPECT_TRUE(found.components.empty() || found.components.size() > 3);
  }
}

const std::vector<Routed> routed{{"switch-ring:n=6", "shortest-path", FaultScope::all},
                                 {"torus:radix=4", "minimal-adaptive", FaultScope::terminal},
                                 {"fat-tree:k=2,n=3", "nca-adaptive"},
                                 {"mesh:radix=3x3", "dimension-order"},
                                 {"torus:radix=3x3", "duato"}};

INSTANTIATE_TEST_SUITE_P(, FailingSets, testing::ValuesIn(thinned(routed, 3)));

}  // namespace
}  // namespace faultline::survival
