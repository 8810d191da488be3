// SPDX-License-Identifier: Apache-2.0
// Exact counts and the estimator for rare events, against enumeration and against each other.
#include <gtest/gtest.h>

#include <atomic>

#include "resilience/circuit/exact_count.h"
#include "resilience/cuts/network_cuts.h"
#include "resilience/fractions/points.h"
#include "resilience/fractions/rare_event.h"
#include "support/effort.h"
#include "support/failing.h"
#include "support/sample_networks.h"

namespace faultline::survival {
namespace {

class EverySmallNetwork : public testing::TestWithParam<std::string> {};

void expect_enumerated_counts(const SampleNetwork& network) {
  if (network.relation->topology().terminal_count() > 9) return;
  for (const Failing& failing : all_failing(network.survival)) {
    const FaultComponents components(network.relation->shared_topology(), failing.unit, failing.scope);
    const Subject subject{network.relation, network.survival, components, failing.knowledge, failing.source};
    const auto most = static_cast<std::uint32_t>(
        std::min<std::size_t>(components.count(), components.count() <= 12 ? 12 : 2));
    const auto requirements = network.survival == Survival::fixed_paths ? compile_requirements(subject)
                                                                        : cut_requirements(subject, most);
    if (!requirements) continue;  // paths in circles
    const auto counted = count_tolerable_sets(*requirements, most, {.steps = 500});
    if (!counted) continue;
    const auto evaluator = make_evaluator(subject, "word");
    for (std::uint32_t faults = 0; faults <= most; ++faults) {
      const MeasuredPoint listed =
          measure(*evaluator, components, faults,
                  {.fault_counts = {faults}, .method = ResilienceMethod::exhaustive}, {}, {});
      const BigInteger intolerable = binomial(components.count(), faults) - (*counted)[faults];
      ASSERT_EQ(intolerable.str(), *listed.point.intolerable_sets)
          << network.name << ' ' << failing.text() << ' ' << faults << " faults";
    }
  }
}

TEST_P(EverySmallNetwork, CountsWhatEnumerationFinds) {
  for (const SampleNetwork& network : sample_networks(GetParam())) {
    expect_enumerated_counts(network);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EverySmallNetwork, testing::ValuesIn(thinned(sample_topologies(), 2)));

std::vector<BigInteger> intolerable_sets(const std::string& topology, std::uint32_t most) {
  const SampleNetwork network = make_network(topology);
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  const auto counted =
      count_tolerable_sets(*compile_requirements({network.relation, network.survival, components}), most);
  std::vector<BigInteger> result;
  for (std::uint32_t faults = 0; faults <= most; ++faults)
    result.push_back(binomial(components.count(), faults) - counted->at(faults));
  return result;
}

TEST(ExactCounts, ADoubledNetworkFollowsFromTheSingleOne) {
  // A set of f channels kills j pairs of the L: bad2(f) = sum over j of bad1(j) C(L - j, f - 2j) 2^(f - 2j).
  constexpr std::uint32_t most = 13, links = 128;
  const std::vector<BigInteger> single = intolerable_sets("ft-ruft-212:k=4,n=3", most / 2);
  const std::vector<BigInteger> doubled = intolerable_sets("ft-ruft-222:k=4,n=3", most);
  for (std::uint32_t faults = 0; faults <= most; ++faults) {
    BigInteger expected = 0;
    for (std::uint32_t dead = 0; 2 * dead <= faults; ++dead)
      expected +=
          single[dead] * binomial(links - dead, faults - 2 * dead) * (BigInteger(1) << (faults - 2 * dead));
    EXPECT_EQ(doubled[faults], expected) << faults;
  }
  EXPECT_EQ(doubled[7], 0);
  EXPECT_GT(doubled[8], 0);
}

TEST(ExactCounts, TooManyMinimalCutsAreRefusedWithWhatCanBeDone) {
  const SampleNetwork network = make_network("torus:radix=4x4", "shortest-path");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  const Subject subject{network.relation, network.survival, components};
  EXPECT_FALSE(cut_requirements(subject, 10, {.max_cuts = 100}));
  const std::uint32_t most = max_faults_of_requirements(subject, 10, {.max_cuts = 100});
  EXPECT_GE(most, 4U);  // 16 switches, 4 links each
  EXPECT_LT(most, 10U);
  EXPECT_TRUE(cut_requirements(subject, most, {.max_cuts = 100}));
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(cut_requirements(subject, most, {.max_cuts = 100, .stop = &stop}));
}

/// Pairs in a series: hardly anything is rewritten, but there are polynomials of a thousand terms to
/// multiply.
TEST(ExactCounts, GiveUpRatherThanMultiplyForEver) {
  Circuit pairs(1200);
  for (std::uint32_t i = 0; i < 1200; i += 2)
    pairs.require(pairs.any(std::vector{pairs.alive(i), pairs.alive(i + 1)}));
  EXPECT_FALSE(count_tolerable_sets(pairs, 1000, {.steps = 1'000'000}));
  const auto few = count_tolerable_sets(pairs, 2, {.steps = 1'000'000});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->at(2), binomial(1200, 2) - 600);
}

TEST(ExactCounts, QuotientsOfNumbersOfAnySizeAreFinite) {
  EXPECT_DOUBLE_EQ(quotient(1, 8), 0.125);
  EXPECT_EQ(quotient(0, binomial(40'000, 4'000)), 0);
  EXPECT_EQ(quotient(binomial(40'000, 4'000), binomial(40'000, 4'000)), 1);
  // One of the 40,000 is among the 4,000.
  EXPECT_NEAR(quotient(binomial(39'999, 3'999), binomial(40'000, 4'000)), 0.1, 1e-15);
}

TEST(ExactCounts, GiveUpRatherThanRunForEver) {
  const SampleNetwork network = make_network("fat-tree:k=4,n=3");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  EXPECT_FALSE(count_tolerable_sets(*compile_requirements({network.relation, network.survival, components}),
                                    20, {.steps = 100}));
}

/// How many of 100 estimates cover the exact value with their 95 % interval.
int covering(const std::string& topology, std::uint32_t faults, const std::string& routing = {}) {
  const SampleNetwork network = make_network(topology, routing);
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  const Subject subject{network.relation, network.survival, components};
  const auto requirements = network.survival == Survival::fixed_paths ? compile_requirements(subject)
                                                                      : cut_requirements(subject, faults);
  const BigInteger total = binomial(components.count(), faults);
  const BigInteger bad = total - count_tolerable_sets(*requirements, faults)->at(faults);
  const double exact = bad.convert_to<double>() / total.convert_to<double>();
  const RareEvents rare(*requirements, faults);
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RareEstimate estimate = rare.estimate(faults, 1000, seed, 1).value();
    covered += estimate.interval.low <= exact && exact <= estimate.interval.high ? 1 : 0;
  }
  return covered;
}

TEST(SlowRareEvents, IntervalsCoverTheExactValue) {
  // The seeds are fixed: the result is always the same. 90 and fewer of 100 has a probability of 0.03 at
  // 0.95.
  EXPECT_GE(covering("ft-ruft-212:k=4,n=3", 6), 93);
  EXPECT_GE(covering("ft-ruft-222:k=4,n=3", 10), 93);
  EXPECT_GE(covering("ruft-pl:k=4,n=2", 3), 93);
  EXPECT_GE(covering("fat-tree:k=2,n=3", 3), 93);  // derivations that pick a component twice
  EXPECT_GE(covering("torus:radix=6x6", 6, "shortest-path"), 93);
  EXPECT_GE(covering("torus:radix=4x4", 5, "up-down"), 93);  // a link dies with each of its channels
}

TEST(SlowRareEvents, DoNotDependOnThreads) {
  const SampleNetwork network = make_network("ft-ruft-222:k=4,n=3");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  ResilienceSpec spec{.fractions = {.fault_counts = {9}, .method = ResilienceMethod::rare, .samples = 5000}};
  const double alone = resilience(network.relation, network.survival, components, spec)
                           .fractions.points.front()
                           .intolerable_fraction;
  spec.conditions.threads = 3;
  EXPECT_EQ(resilience(network.relation, network.survival, components, spec)
                .fractions.points.front()
                .intolerable_fraction,
            alone);
  EXPECT_GT(alone, 0);
  EXPECT_LT(alone, 1e-10);
}

}  // namespace
}  // namespace faultline::survival
