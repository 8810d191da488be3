// SPDX-License-Identifier: Apache-2.0
// Invariants of any network's resilience, whatever its figures are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/resilience/resilience.h"
#include "resilience/cuts/tolerance.h"
#include "support/effort.h"
#include "support/error_message.h"
#include "support/failing.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

FaultComponents components_of(const SampleNetwork& network, FaultUnits unit, FaultScope scope) {
  return FaultComponents(network.relation->shared_topology(), unit, scope);
}

void expect_enumerated_cuts(const SampleNetwork& network) {
  for (const FaultUnits unit : all_units)
    for (const FaultScope scope : all_scopes) {
      const FaultComponents pieces = components_of(network, unit, scope);
      const survival::Subject subject{network.relation, network.survival, pieces};
      const survival::Tolerance cuts = survival::tolerance_by_cuts(subject);
      const auto evaluator = survival::make_evaluator(subject, "word");
      const survival::Tolerance tried = survival::tolerance_by_enumeration(*evaluator, pieces, 50'000);
      const std::string what =
          network.name + " " + std::string(to_string(unit)) + " " + std::string(to_string(scope));
      ASSERT_TRUE(cuts.exact) << what;
      if (tried.exact)
        ASSERT_EQ(cuts.faults, tried.faults) << what;
      else
        ASSERT_GE(cuts.faults, tried.faults) << what;
    }
}

void expect_least_witness(const SampleNetwork& network) {
  for (const FaultUnits unit : all_units) {
    const FaultComponents pieces = components_of(network, unit, FaultScope::all);
    const survival::Subject subject{network.relation, network.survival, pieces};
    const survival::Tolerance cuts = survival::tolerance_by_cuts(subject);
    if (!cuts.source.valid()) continue;
    ASSERT_EQ(cuts.witness.size(), cuts.faults + 1);
    const auto reference = survival::make_reference_evaluator(subject);
    survival::Verdicts verdicts;
    const auto lost = [&](std::vector<std::uint32_t> set) {
      reference->evaluate({static_cast<std::uint32_t>(set.size()), 1, set}, verdicts);
      return verdicts.lost_pairs.front();
    };
    EXPECT_GT(lost(cuts.witness), 0U) << network.name;
    for (std::size_t spared = 0; spared < cuts.witness.size(); ++spared) {
      std::vector<std::uint32_t> part = cuts.witness;
      part.erase(part.begin() + static_cast<std::ptrdiff_t>(spared));
      EXPECT_EQ(lost(part), 0U) << network.name;
    }
  }
}

void expect_no_less_with_knowledge(const SampleNetwork& network) {
  if (network.survival != Survival::fixed_paths)
    return;  // serves every connected pair: guaranteed is refused
  const FaultComponents pieces = components_of(network, FaultUnit::channel, FaultScope::network);
  if (pieces.count() < 2) return;
  ResilienceSpec spec{.fractions = {.fault_counts = {1, 2}, .samples = 1000}};
  const ResilienceResult possible = resilience(network.relation, network.survival, pieces, spec);
  spec.conditions.knowledge = Knowledge::neighbours();
  const ResilienceResult guaranteed = resilience(network.relation, network.survival, pieces, spec);
  EXPECT_LE(guaranteed.tolerance.faults, possible.tolerance.faults);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LE(guaranteed.fractions.points[i].connected_pairs_fraction,
              possible.fractions.points[i].connected_pairs_fraction);
}

class EveryNetwork : public testing::TestWithParam<std::string> {
 protected:
  void expect_of_each(void (*expect)(const SampleNetwork&)) const {
    for (const SampleNetwork& network : sample_networks(GetParam())) {
      expect(network);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(EveryNetwork, MinimumCutsAreWhatEnumerationFinds) { expect_of_each(expect_enumerated_cuts); }
TEST_P(EveryNetwork, AWitnessDisconnectsAndNoPartOfItDoes) { expect_of_each(expect_least_witness); }
TEST_P(EveryNetwork, GuaranteedNeverToleratesMoreThanPossible) {
  expect_of_each(expect_no_less_with_knowledge);
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryNetwork, testing::ValuesIn(thinned(sample_topologies(), 2)));

ResilienceResult study(const std::string& topology, const ResilienceSpec& spec,
                       FaultUnit unit = FaultUnit::channel) {
  const SampleNetwork network = make_network(topology);
  return resilience(network.relation, network.survival,
                    FaultComponents(network.relation->shared_topology(), unit, FaultScope::network), spec);
}

void expect_equal(const FaultPoint& a, const FaultPoint& b) {
  EXPECT_EQ(a.sets, b.sets);
  EXPECT_EQ(a.intolerable_fraction, b.intolerable_fraction);
  EXPECT_EQ(a.connected_pairs_fraction, b.connected_pairs_fraction);
  EXPECT_EQ(a.connected_pairs_interval.low, b.connected_pairs_interval.low);
  EXPECT_EQ(a.connected_live_pairs_fraction, b.connected_live_pairs_fraction);
}

TEST(Sampling, DoesNotDependOnThreadsOrKernel) {
  const ResilienceSpec spec{
      .fractions = {.fault_counts = {5, 12}, .method = ResilienceMethod::sampled, .samples = 3001},
      .conditions = {.kernel = "word"}};
  const ResilienceResult expected = study("ft-ruft-212:k=4,n=2", spec);
  for (const std::string kernel : {"word", "reference", ""})
    for (const std::uint32_t threads : {1U, 2U, 5U}) {
      ResilienceSpec other = spec;
      other.conditions.kernel = kernel;
      other.conditions.threads = threads;
      const ResilienceResult got = study("ft-ruft-212:k=4,n=2", other);
      for (std::size_t i = 0; i < 2; ++i) expect_equal(got.fractions.points[i], expected.fractions.points[i]);
    }
}

TEST(Sampling, IntervalsCoverTheExactFractions) {
  ResilienceSpec spec{.fractions = {.fault_counts = {3}, .method = ResilienceMethod::exhaustive}};
  const FaultPoint exact = study("ruft-pl:k=2,n=3", spec).fractions.points.front();
  ASSERT_GT(exact.intolerable_fraction, 0.01);
  spec.fractions.method = ResilienceMethod::sampled;
  spec.fractions.samples = 500;
  int covered = 0, connected_covered = 0;
  constexpr int repetitions = 200;
  for (spec.conditions.seed = 1; spec.conditions.seed <= repetitions; ++spec.conditions.seed) {
    const FaultPoint point = study("ruft-pl:k=2,n=3", spec).fractions.points.front();
    const auto in = [](const Interval& interval, double value) {
      return interval.low <= value && value <= interval.high;
    };
    EXPECT_LT(point.intolerable_interval.high - point.intolerable_interval.low, 0.095)
        << "wider than that of any fraction of 500";
    covered += in(point.intolerable_interval, exact.intolerable_fraction) ? 1 : 0;
    connected_covered += in(point.connected_pairs_interval, exact.connected_pairs_fraction) ? 1 : 0;
  }
  // Fewer than 180 of 200 has a probability below 1e-3 where each covers with probability 0.95.
  EXPECT_GE(covered, 180);
  EXPECT_GE(connected_covered, 180);
}

/// A proof that the network tolerates so many faults is more than a sample without a failure.
TEST(Sampling, IsExactUpToTheToleratedFaults) {
  const ResilienceResult result =
      study("ft-ruft-222:k=4,n=2", {.fractions = {.fault_counts = {2, 7, 8}, .samples = 50}});
  ASSERT_EQ(result.tolerance.faults, 7U);
  for (const FaultPoint& point : result.fractions.points) {
    EXPECT_FALSE(point.exhaustive);
    const bool tolerated = point.faults <= 7;
    EXPECT_EQ(point.intolerable_interval.high == 0, tolerated) << point.faults;
    EXPECT_EQ(point.connected_pairs_interval.low == 1, tolerated) << point.faults;
  }
}

TEST(Sampling, MostOfTheComponentsMayFail) {
  const ResilienceResult all =
      study("fat-tree:k=2,n=2", {.fractions = {.fault_counts = {7, 8}, .samples = 5}});
  EXPECT_EQ(all.fractions.points[1].sets, 1U);
  EXPECT_TRUE(all.fractions.points[1].exhaustive);
  EXPECT_DOUBLE_EQ(all.fractions.points[1].connected_pairs_fraction,
                   4.0 / 12);  // two terminals on each first switch
  EXPECT_FALSE(all.fractions.points[0].exhaustive);
}

TEST(Exhaustive, CountsAreExactAndSwitchesKeepTheirLivePairs) {
  const ResilienceResult result =
      study("fat-tree:k=2,n=2", {.fractions = {.fault_counts = {1}, .samples = 100}}, FaultUnit::switch_);
  const FaultPoint& point = result.fractions.points.front();
  EXPECT_EQ(point.sets_total, "4");
  EXPECT_EQ(point.intolerable_sets, "2");  // a first-stage switch takes its terminals with it
  EXPECT_DOUBLE_EQ(point.connected_pairs_fraction, (2 * 12 + 2 * 2) / 48.0);
  EXPECT_DOUBLE_EQ(point.connected_live_pairs_fraction, 1.0);
}

TEST(Progress, ReachesTheTotal) {
  const SampleNetwork network = make_network("ruft:k=2,n=3");
  std::uint64_t last = 0, total = 0;
  (void)resilience(
      network.relation, network.survival,
      FaultComponents(network.relation->shared_topology(), FaultUnit::channel, FaultScope::network),
      {.fractions = {.fault_counts = {3}, .method = ResilienceMethod::sampled, .samples = 5000}},
      [&](std::string_view what, std::uint64_t done, std::uint64_t of) {
        if (what != "sets") return;
        last = std::max(last, done);
        total = of;
      });
  EXPECT_EQ(last, 5000U);
  EXPECT_EQ(total, 5000U);
}

std::string refusal(const ResilienceSpec& spec, const std::string& topology = "ruft:k=2,n=3") {
  return testing_support::error_message([&] { (void)study(topology, spec); });
}

TEST(BadInput, IsRefusedWithFieldValueAndWhatIsAllowed) {
  EXPECT_THAT(
      refusal({.fractions = {.fault_counts = {17}}}),
      testing::AllOf(testing::HasSubstr("resilience.faults = '17'"), testing::HasSubstr("at most 16")));
  EXPECT_THAT(refusal({.fractions = {.fault_counts = {1}, .samples = 0}}),
              testing::HasSubstr("resilience.samples = '0'"));
  EXPECT_THAT(refusal({.conditions = {.kernel = "abacus"}}),
              testing::AllOf(testing::HasSubstr("resilience.kernel = 'abacus'"), testing::HasSubstr("word")));
  EXPECT_THAT(
      refusal({.fractions = {.fault_counts = {20}, .method = ResilienceMethod::exhaustive}}, "ruft:k=4,n=3"),
      testing::HasSubstr("resilience.exhaustive = 'true': must be left out"));
  ASSERT_EQ(setenv("FAULTLINE_KERNEL", "abacus", 1), 0);
  EXPECT_THAT(refusal({}), testing::HasSubstr("FAULTLINE_KERNEL = 'abacus'"));
  unsetenv("FAULTLINE_KERNEL");
}

}  // namespace
}  // namespace faultline
