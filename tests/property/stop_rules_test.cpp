// SPDX-License-Identifier: Apache-2.0
// When sampling ends, and what an interrupted run returns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/resilience/resilience.h"
#include "support/effort.h"
#include "support/error_message.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

ResilienceResult stopped_study(const std::string& topology, const ResilienceSpec& spec,
                               const Progress& progress = {}) {
  const SampleNetwork network = make_network(topology);
  return resilience(
      network.relation, network.survival,
      FaultComponents(network.relation->shared_topology(), FaultUnit::channel, FaultScope::network), spec,
      progress);
}

FaultPoint point(const std::string& topology, const ResilienceSpec& spec) {
  return stopped_study(topology, spec).fractions.points.front();
}

double width(const Interval& interval) { return interval.high - interval.low; }

constexpr const char* topology_name = "ruft-pl:k=4,n=3";

TEST(StopRules, AWidthEndsAPointAtTheFirstLookThatFindsItNarrower) {
  for (const double wanted : {0.2, 0.03, 0.01}) {
    const FaultPoint stopped =
        point(topology_name, {.fractions = {.fault_counts = {7}, .interval_width = wanted}});
    ASSERT_LT(width(stopped.intolerable_interval), wanted);
    // The numbers of sets at which the interval is tested: 512 apart, from 8192 on an eighth in whole 512s.
    std::vector<std::uint64_t> looks{512,    1'024,  1'536,  2'048,  2'560,  3'072,  3'584,   4'096,
                                     4'608,  5'120,  5'632,  6'144,  6'656,  7'168,  7'680,   8'192,
                                     9'216,  10'240, 11'264, 12'288, 13'824, 15'360, 16'896,  18'944,
                                     20'992, 23'552, 26'112, 29'184, 32'768, 36'864, 41'472,  46'592,
                                     52'224, 58'368, 65'536, 73'728, 82'944, 93'184, 104'448, 117'248};
    looks.erase(std::ranges::upper_bound(looks, stopped.sets), looks.end());
    ASSERT_EQ(looks.back(), stopped.sets);
    for (const std::uint64_t sets : looks) {
      const FaultPoint drawn =
          point(topology_name,
                {.fractions = {.fault_counts = {7}, .method = ResilienceMethod::sampled, .samples = sets}});
      EXPECT_EQ(width(drawn.intolerable_interval) < wanted, sets == stopped.sets) << sets;
      if (sets == stopped.sets) {
        EXPECT_EQ(drawn.intolerable_fraction, stopped.intolerable_fraction);
      }
    }
  }
}

TEST(StopRules, WhereSamplingEndsDependsOnNeitherThreadsNorKernel) {
  ResilienceSpec spec{
      .fractions = {.fault_counts = {2, 7, 12}, .interval_width = 0.02, .budget = effort(6000U, 600U)}};
  const ResilienceResult expected = stopped_study(topology_name, spec);
  for (const std::string kernel : {"word", "reference", ""})
    for (spec.conditions.threads = 1; spec.conditions.threads < 6;
         spec.conditions.threads += effort(2U, 4U)) {
      spec.conditions.kernel = kernel;
      const ResilienceResult got = stopped_study(topology_name, spec);
      for (std::size_t i = 0; i < spec.fractions.fault_counts.size(); ++i) {
        EXPECT_EQ(got.fractions.points[i].sets, expected.fractions.points[i].sets);
        EXPECT_EQ(got.fractions.points[i].intolerable_fraction,
                  expected.fractions.points[i].intolerable_fraction);
        EXPECT_EQ(got.fractions.points[i].connected_pairs_interval.low,
                  expected.fractions.points[i].connected_pairs_interval.low);
      }
    }
}

TEST(StopRules, TheBudgetIsTheMostThatAPointTakes) {
  EXPECT_EQ(
      point(topology_name, {.fractions = {.fault_counts = {7}, .interval_width = 1e-4, .budget = 3000}}).sets,
      3000U);
  EXPECT_EQ(point(topology_name, {.fractions = {.fault_counts = {7}, .budget = 700}}).sets, 700U);
  EXPECT_EQ(point(topology_name, {.fractions = {.fault_counts = {7}, .samples = 500, .budget = 700}}).sets,
            500U);
  const FaultPoint all = point(topology_name, {.fractions = {.fault_counts = {1}, .interval_width = 0.5}});
  EXPECT_TRUE(all.exhaustive);  // few enough to try each
}

TEST(StopRules, IntervalsStillCoverTheExactFraction) {
  ResilienceSpec spec{.fractions = {.fault_counts = {3}, .method = ResilienceMethod::exhaustive}};
  const double exact = point("ruft-pl:k=2,n=3", spec).intolerable_fraction;
  ASSERT_GT(exact, 0.01);
  spec.fractions.method = ResilienceMethod::sampled;
  spec.fractions.interval_width = 0.02;
  int covered = 0;
  constexpr int repetitions = 200;
  for (spec.conditions.seed = 1; spec.conditions.seed <= repetitions; ++spec.conditions.seed) {
    const Interval interval = point("ruft-pl:k=2,n=3", spec).intolerable_interval;
    covered += interval.low <= exact && exact <= interval.high ? 1 : 0;
  }
  // Fewer than 180 of 200 has a probability below 1e-3 where each covers with probability 0.95.
  EXPECT_GE(covered, 180);
}

std::string refusal_of_stop(const ResilienceSpec& spec) {
  return testing_support::error_message([&] { (void)stopped_study(topology_name, spec); });
}

TEST(StopRules, WhatMakesNoSenseIsRefused) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal_of_stop({.fractions = {.fault_counts = {1}, .budget = 0}}),
              HasSubstr("resilience.budget = '0'"));
  EXPECT_THAT(refusal_of_stop({.fractions = {.interval_width = 0.0}}),
              HasSubstr("resilience.interval-width = '0'"));
  EXPECT_THAT(refusal_of_stop({.fractions = {.interval_width = 1.0}}), HasSubstr("above 0 and below 1"));
  EXPECT_THAT(refusal_of_stop({.fractions = {.interval_width = -0.5}}), HasSubstr("above 0 and below 1"));
  EXPECT_THAT(refusal_of_stop({.fractions = {.interval_width = std::nan("")}}),
              HasSubstr("above 0 and below 1"));
  for (const ResilienceMethod method :
       {ResilienceMethod::exhaustive, ResilienceMethod::exact, ResilienceMethod::rare})
    EXPECT_THAT(
        refusal_of_stop({.fractions = {.fault_counts = {1}, .method = method, .interval_width = 0.1}}),
        HasSubstr("needs plain sampling"));
  EXPECT_THAT(refusal_of_stop(
                  {.fractions = {.fault_counts = {2}, .method = ResilienceMethod::exhaustive, .budget = 10}}),
              HasSubstr("resilience.budget = '10'"));
}

/// Stopped by its own progress, once `sets` are done.
ResilienceResult stopped_after(std::uint64_t sets, ResilienceSpec spec,
                               const std::string& topology = topology_name) {
  std::atomic<bool> stop = false;
  spec.conditions.stop = &stop;
  return stopped_study(topology, spec, [&](std::string_view what, std::uint64_t done, std::uint64_t) {
    if (what == "sets" && done >= sets) stop = true;
  });
}

TEST(Interrupted, FinishedPointsAreKeptAndThePartialOneIsWorthItsSets) {
  ResilienceSpec spec{
      .fractions = {.fault_counts = {5, 7, 9}, .method = ResilienceMethod::sampled, .samples = 4096}};
  const ResilienceResult whole = stopped_study(topology_name, spec);
  EXPECT_FALSE(whole.interrupted);
  const ResilienceResult cut = stopped_after(5120, spec);
  EXPECT_TRUE(cut.interrupted);
  ASSERT_EQ(cut.fractions.points.size(), 2U);
  EXPECT_EQ(cut.fractions.points[0].sets, 4096U);
  EXPECT_EQ(cut.fractions.points[0].intolerable_fraction, whole.fractions.points[0].intolerable_fraction);
  EXPECT_EQ(cut.fractions.points[1].sets, 1024U);
  spec.fractions.samples = 1024;  // one thread: the first sets
  const FaultPoint same = stopped_study(topology_name, spec).fractions.points[1];
  EXPECT_EQ(cut.fractions.points[1].intolerable_fraction, same.intolerable_fraction);
  EXPECT_EQ(cut.fractions.points[1].intolerable_interval.high, same.intolerable_interval.high);
  EXPECT_EQ(cut.fractions.points[1].connected_pairs_interval.low, same.connected_pairs_interval.low);
}

TEST(Interrupted, APartOfAllSetsGivesBoundsThatHold) {
  const ResilienceSpec spec{.fractions = {.fault_counts = {4}, .method = ResilienceMethod::exhaustive},
                            .conditions = {.kernel = "word"}};
  const FaultPoint whole = point("ft-ruft-212:k=2,n=3", spec);
  ASSERT_GT(whole.sets, 1000U);
  for (const std::uint64_t sets : {64U, 320U, 960U}) {
    const FaultPoint cut = stopped_after(sets, spec, "ft-ruft-212:k=2,n=3").fractions.points.at(0);
    EXPECT_EQ(cut.sets, sets);
    EXPECT_FALSE(cut.exhaustive);
    EXPECT_FALSE(cut.intolerable_sets);
    EXPECT_EQ(cut.sets_total, whole.sets_total);
    const auto holds = [](const Interval& interval, double here, double exact) {
      EXPECT_LE(interval.low, std::min(here, exact) + 1e-12);
      EXPECT_GE(interval.high, std::max(here, exact) - 1e-12);
      EXPECT_LT(width(interval), 1);
    };
    holds(cut.intolerable_interval, cut.intolerable_fraction, whole.intolerable_fraction);
    holds(cut.connected_pairs_interval, cut.connected_pairs_fraction, whole.connected_pairs_fraction);
  }
}

/// The cuts of so many faults are too many to list, and finding that out takes minutes.
TEST(Interrupted, TheSearchForCutsEndsAndRefusesNothing) {
  const SampleNetwork network = make_network("torus:radix=8x8", "shortest-path");
  const FaultComponents links(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  const std::atomic<bool> stop = true;
  ResilienceStudy study(network.relation, network.survival, links, {.stop = &stop});
  for (const ResilienceMethod method : {ResilienceMethod::exact, ResilienceMethod::rare}) {
    const Fractions fractions = study.fractions({.fault_counts = {12}, .method = method});
    EXPECT_TRUE(fractions.interrupted);
    EXPECT_TRUE(fractions.points.empty());
  }
  EXPECT_FALSE(
      study.reliability({.rates = {{FaultUnit::link, 0.05, 1.0}}, .method = ResilienceMethod::rare}));
}

TEST(Interrupted, BeforeTheFirstSetThereIsNoPoint) {
  const std::atomic<bool> stop = true;
  const ResilienceResult result =
      stopped_study(topology_name, {.fractions = {.fault_counts = {3}}, .conditions = {.stop = &stop}});
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.fractions.points.empty());
  EXPECT_FALSE(stopped_study(topology_name, {.conditions = {.stop = &stop}})
                   .interrupted);  // nothing was requested, nothing is missing
}

TEST(Interrupted, SeveralThreadsKeepWhatTheyFinished) {
  const ResilienceResult cut = stopped_after(
      4096, {.fractions = {.fault_counts = {7}, .method = ResilienceMethod::sampled, .samples = 1'000'000},
             .conditions = {.threads = 3}});
  EXPECT_TRUE(cut.interrupted);
  EXPECT_GE(cut.fractions.points.at(0).sets, 4096U);
  EXPECT_LT(cut.fractions.points.at(0).sets, 100'000U);
}

}  // namespace
}  // namespace faultline
