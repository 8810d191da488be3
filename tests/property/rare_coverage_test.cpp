// SPDX-License-Identifier: Apache-2.0
// Intervals of rare events against exact answers, over many seeds and few samples; intervals of means of
// bounded values against closed forms and known means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "faultline/base/random.h"
#include "faultline/resilience/resilience.h"
#include "faultline/topology/builder.h"
#include "resilience/fractions/bounded_mean.h"
#include "support/effort.h"
#include "support/error_message.h"
#include "support/sample_networks.h"

namespace faultline::survival {
namespace {

TEST(BoundedMean, ZerosOnlyGiveNearlyTheExactBound) {
  for (const std::size_t count : {1U, 20U, 1000U}) {
    const Interval found = bounded_mean_interval(std::vector<double>(count, 0.0), 0.025);
    EXPECT_EQ(found.low, 0);
    const double exact = 1 - std::pow(0.025, 1 / static_cast<double>(count));
    EXPECT_GE(found.high, exact) << count;
    EXPECT_LE(found.high, 1.15 * exact) << count;
    const Interval ones = bounded_mean_interval(std::vector<double>(count, 1.0), 0.025);
    EXPECT_NEAR(ones.low, 1 - found.high, 1e-9);
    EXPECT_EQ(ones.high, 1);
  }
}

TEST(BoundedMean, CoversMeansOfSkewedValuesAlsoByTheirSumsAlone) {
  // 1 with probability p, else a tenth of it: mean p + 0.1 (1 - p).
  for (const double p : {0.001, 0.02, 0.3})
    for (const std::uint64_t count : {3U, 30U, 300U}) {
      int missed = 0, missed_by_sums = 0;
      for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        std::vector<double> values;
        double sum = 0, squares = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
          values.push_back(RandomStream(seed, i).next_unit() < p ? 1 : 0.1);
          sum += values.back();
          squares += values.back() * values.back();
        }
        const double mean = p + 0.1 * (1 - p);
        const auto misses = [&](const Interval& found) {
          return found.low <= mean && mean <= found.high ? 0 : 1;
        };
        missed += misses(bounded_mean_interval(values, 0.025));
        missed_by_sums +=
            misses(bounded_mean_interval(sum, squares, static_cast<double>(count), {0, 1}, 0.025));
      }
      EXPECT_LE(missed, 33) << p << ' ' << count;  // 20 expected at most, with a deviation of 4.4
      EXPECT_LE(missed_by_sums, 33) << p << ' ' << count;
    }
}

TEST(BoundedMean, IsHardlyWiderThanANormalIntervalOfManyValues) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 20'000; ++i) values.push_back(RandomStream(1, i).next_unit());
  const Interval found = bounded_mean_interval(values, 0.025);
  const double normal = 2 * 1.96 * std::sqrt(1.0 / 12 / 20'000);
  EXPECT_LT(found.high - found.low, 1.6 * normal);
  EXPECT_GT(found.high - found.low, normal);
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const Interval by_sums = bounded_mean_interval(sum, squares, 20'000, {0, 1}, 0.025);
  EXPECT_LT(by_sums.high - by_sums.low, 1.8 * normal);
  EXPECT_GT(by_sums.high - by_sums.low, normal);
}

struct Asked {
  const char* topology;
  const char* routing;
  std::uint32_t faults;
};

void PrintTo(const Asked& asked, std::ostream* out) {
  *out << asked.topology << ' ' << asked.routing << ' ' << asked.faults << " faults";
}

class SlowRareIntervals : public testing::TestWithParam<Asked> {};

/// With 20 samples, derivations that pick a component repeatedly may not be seen at all.
TEST_P(SlowRareIntervals, CoverTheExactValueAndAreNeverEmpty) {
  const SampleNetwork network = make_network(GetParam().topology, GetParam().routing);
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  const std::uint32_t faults = GetParam().faults;
  const auto result = [&](const ResilienceSpec& spec) {
    return resilience(network.relation, network.survival, components, spec).fractions.points.front();
  };
  const FaultPoint exact =
      result({.fractions = {.fault_counts = {faults}, .method = ResilienceMethod::exact, .samples = 1}});
  ASSERT_TRUE(exact.intolerable_sets.has_value());
  const double truth = exact.intolerable_fraction;
  ASSERT_GT(truth, 0);
  for (const std::uint64_t samples : {1U, 20U, 200U}) {  // fewer than all sets, which would be evaluated
    constexpr std::uint64_t seeds = 100;
    std::uint64_t covered = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const FaultPoint point = result(
          {.fractions = {.fault_counts = {faults}, .method = ResilienceMethod::rare, .samples = samples},
           .conditions = {.seed = seed}});
      const Interval found = point.intolerable_interval;
      ASSERT_LE(found.low, point.intolerable_fraction);
      ASSERT_LE(point.intolerable_fraction, found.high);
      ASSERT_GT(found.high, 0) << "seed " << seed << ", " << samples << " samples";
      covered += found.low <= truth && truth <= found.high ? 1 : 0;
    }
    EXPECT_GE(covered, seeds * 9 / 10) << samples << " samples, truth " << truth;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, SlowRareIntervals,
                         testing::Values(Asked{"ft-ruft-212:k=4,n=3", "", 6},
                                         Asked{"fat-tree:k=2,n=3", "", 3}, Asked{"fat-tree:k=4,n=3", "", 6},
                                         Asked{"ruft-pl:k=4,n=2", "", 3}, Asked{"mesh:radix=3x3", "duato", 2},
                                         Asked{"torus:radix=3x3", "duato", 3},
                                         Asked{"torus:radix=3x3", "minimal-adaptive", 2},
                                         Asked{"torus:radix=4x4", "up-down", 5}));

/// Most sets of 3 links are intolerable, so that the sets drawn at random tell more than derivations, whose
/// mean is nearly always far too low.
TEST(SlowRareFractions, AreNotAllOnOneSideOfTheExactValue) {
  const SampleNetwork network = make_network("dragonfly:p=2,a=4,h=2", "valiant");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  const auto fraction = [&](ResilienceMethod method, std::uint64_t seed) {
    return resilience(network.relation, network.survival, components,
                      {.fractions = {.fault_counts = {3}, .method = method, .samples = 2000},
                       .conditions = {.seed = seed}})
        .fractions.points.front()
        .intolerable_fraction;
  };
  const double truth = fraction(ResilienceMethod::exact, 1);
  std::uint64_t below = 0;
  constexpr std::uint64_t seeds = 30;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    below += fraction(ResilienceMethod::rare, seed) < truth ? 1 : 0;
  EXPECT_GT(below, seeds / 6);
  EXPECT_LT(below, seeds - seeds / 6);
}

/// Two terminals; between their switches 24 ways fan out, meet in two cables, and fan out again. Only the
/// loss of both cables disconnects them, and each way meets one of the two, so that the only small cut is
/// derived by 24 picks.
SampleNetwork hourglass() {
  constexpr std::uint32_t ways = 24;
  TopologyBuilder builder;
  std::vector<std::array<SwitchId, 2>> waists;
  for (std::uint32_t side = 0; side < 2; ++side) {
    const SwitchId home = builder.add_switch({side, 0});
    builder.attach(builder.add_terminal(), {home, ways});
    const std::array<SwitchId, 2> waist{builder.add_switch({side, 1}), builder.add_switch({side, 2})};
    for (std::uint32_t way = 0; way < ways; ++way) {
      const SwitchId middle = builder.add_switch({side, 3 + way});
      builder.connect_both({home, way}, {middle, 0});
      builder.connect_both({middle, 1}, {waist[way / (ways / 2)], way % (ways / 2)});
    }
    waists.push_back(waist);
  }
  for (const std::size_t half : {0U, 1U})
    builder.connect_both({waists[0][half], ways / 2}, {waists[1][half], ways / 2});
  const auto topology =
      std::make_shared<const Topology>(std::move(builder).build("hourglass", "shortest-path"));
  // The paths of the healthy network, kept under faults.
  return {"hourglass", build_healthy_relation(topology, parse_compact("routing", "shortest-path")),
          Survival::fixed_paths};
}

TEST(RareFractions, OfNetworksWhoseCutsAreDerivedByManyPicksAreNotTakenForZero) {
  const SampleNetwork network = hourglass();
  const FaultComponents cables(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  ASSERT_EQ(cables.count(), 98U);
  ResilienceStudy study(network.relation, network.survival, cables);
  constexpr double truth = 1.0 / (98 * 97 / 2);
  EXPECT_DOUBLE_EQ(study.fractions({.fault_counts = {2}, .method = ResilienceMethod::exhaustive})
                       .points.front()
                       .intolerable_fraction,
                   truth);
  for (const std::uint64_t samples : {20U, 1000U}) {
    const FaultPoint point =
        study.fractions({.fault_counts = {2}, .method = ResilienceMethod::rare, .samples = samples})
            .points.front();
    EXPECT_LE(point.intolerable_interval.low, truth);
    EXPECT_GE(point.intolerable_interval.high, truth) << samples;
  }
}

TEST(RareFractions, AReliabilityThatCannotBeEstimatedSaysWhy) {
  using testing::HasSubstr;
  const auto refusal = [](const SampleNetwork& network, double failure_rate) {
    const FaultComponents links(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
    ResilienceStudy study(network.relation, network.survival, links);
    return testing_support::error_message([&] {
      (void)study.reliability(
          {.rates = {{FaultUnit::link, failure_rate, 1.0}}, .method = ResilienceMethod::rare});
    });
  };
  EXPECT_THAT(refusal(hourglass(), 1e-6), HasSubstr("a pair is lost only if"));
  EXPECT_THAT(refusal(make_network("torus:radix=8x8", "shortest-path"), 1.0),
              HasSubstr("sets of 65 faults or more matter"));
  EXPECT_THAT(refusal(make_network("mikant:k=4,n=2", "all-port"), 1e-6), HasSubstr("paths have cycles"));
}

TEST(RareFractions, OfMoreFaultsThanCanBeEstimatedAreRefused) {
  const SampleNetwork network = make_network("torus:radix=16x16", "dimension-order");
  const FaultComponents links(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  const ResilienceStudy study(network.relation, network.survival, links);
  const auto ask = [&](std::uint32_t faults) {
    return testing_support::error_message([&] {
      (void)study.fractions({.fault_counts = {1, faults}, .method = ResilienceMethod::rare, .samples = 10});
    });
  };
  EXPECT_THAT(ask(65), testing::HasSubstr("resilience.faults = '65': must be at most 64"));
  EXPECT_EQ(ask(64), "accepted");
}

/// Few sets, most of which happen to be intolerable, say less of the pairs than the exact count.
TEST(ExactFractions, LeaveIntervalsOfConnectedPairsInOrder) {
  TopologyBuilder builder;
  constexpr std::uint32_t switches = 20;
  for (std::uint32_t at = 0; at < switches; ++at) builder.add_switch({0, at});
  for (const std::uint32_t at : {0U, 1U}) builder.attach(builder.add_terminal(), {SwitchId(at), 2});
  for (std::uint32_t at = 0; at < switches; ++at)
    builder.connect_both({SwitchId(at), 0}, {SwitchId((at + 1) % switches), 1});
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("ring", "shortest-path"));
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "shortest-path"));
  const FaultComponents cables(topology, FaultUnit::link, FaultScope::network);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const FaultPoint point =
        ResilienceStudy(relation, Survival::any_path, cables, {.seed = seed})
            .fractions({.fault_counts = {2}, .method = ResilienceMethod::exact, .samples = 100})
            .points.front();
    ASSERT_TRUE(point.intolerable_sets && !point.exhaustive);
    ASSERT_LE(point.connected_pairs_interval.low, point.connected_pairs_fraction) << seed;
    ASSERT_LE(point.connected_pairs_fraction, point.connected_pairs_interval.high) << seed;
  }
}

TEST(SlowExactCounts, NumbersOfFaultsThatCannotBeCountedSayWhy) {
  const SampleNetwork network = make_network("fat-tree:k=4,n=3");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  const auto result = resilience(network.relation, network.survival, components,
                                 {.fractions = {.fault_counts = {7, 4, 3},
                                                .method = ResilienceMethod::exact,
                                                .samples = 10,
                                                .exact_steps = 20'000'000}});
  ASSERT_EQ(result.fractions.points.size(), 3U);
  EXPECT_FALSE(result.fractions.points[0].intolerable_sets);
  ASSERT_TRUE(result.fractions.points[0].not_counted);
  EXPECT_NE(result.fractions.points[0].not_counted->find("7 faults or more"), std::string::npos);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_TRUE(result.fractions.points[i].intolerable_sets);
    EXPECT_FALSE(result.fractions.points[i].not_counted);
  }
  EXPECT_EQ(result.fractions.points[2].intolerable_sets, "0");
}

}  // namespace
}  // namespace faultline::survival
