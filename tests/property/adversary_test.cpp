// SPDX-License-Identifier: Apache-2.0
// The most harmful faults: what branch and bound proves against trying every set, and bounds that must hold.
#include <gtest/gtest.h>

#include <atomic>

#include "base/binomial.h"
#include "faultline/resilience/resilience.h"
#include "resilience/evaluate/fault_sets.h"
#include "resilience/worst/adversary.h"
#include "support/effort.h"
#include "support/sample_networks.h"

namespace faultline::survival {
namespace {

/// The most pairs that any set of `faults` loses, by the plain reference; absent if there are too many sets
/// to try.
std::optional<std::uint64_t> max_lost(const Subject& subject, std::uint32_t faults) {
  const auto count = static_cast<std::uint32_t>(subject.components.count());
  const BigInteger sets = binomial(count, faults);
  if (faults > count || sets > 2000) return std::nullopt;
  FaultBlock block{.faults = faults, .lanes = static_cast<std::uint32_t>(sets), .members = {}};
  list_fault_sets(block, count, 0);
  Verdicts verdicts;
  make_reference_evaluator(subject)->evaluate(block, verdicts);
  return *std::ranges::max_element(verdicts.lost_pairs);
}

std::uint64_t lost(const Subject& subject, const std::vector<Component>& set) {
  Verdicts verdicts;
  make_reference_evaluator(subject)->evaluate({static_cast<std::uint32_t>(set.size()), 1, set}, verdicts);
  return verdicts.lost_pairs.front();
}

class AdversaryOf : public testing::TestWithParam<std::string> {};

void expect_worst_sets(const SampleNetwork& network) {
  if (network.relation->topology().terminal_count() > effort(9U, 6U)) return;
  for (const FaultUnits unit : {FaultUnits(FaultUnit::channel), FaultUnits(FaultUnit::link),
                                FaultUnits(FaultUnit::switch_), FaultUnit::link | FaultUnit::switch_})
    for (const FaultScope scope : {FaultScope::network, FaultScope::all}) {
      const FaultComponents components(network.relation->shared_topology(), unit, scope);
      const Subject subject{network.relation, network.survival, components};
      const auto evaluator = make_evaluator(subject, "word");
      Adversary proving(subject, *evaluator, 1, {.max_sets = 0, .max_arcs = 500'000, .restarts = 2});
      Adversary trying(subject, *evaluator, 1);
      for (const std::uint32_t faults : {1U, 2U, 3U}) {
        const std::string what = network.name + " " + to_string(unit) + " " + std::string(to_string(scope)) +
                                 " " + std::to_string(faults);
        const auto expected = max_lost(subject, faults);
        if (!expected) continue;
        const Worst proved = proving.worst(faults);
        EXPECT_GE(proved.bound, *expected) << what;
        EXPECT_LE(proved.pairs_lost, *expected) << what;
        EXPECT_GE(proved.bound, proved.pairs_lost) << what;
        const Worst tried = trying.worst(faults);
        EXPECT_TRUE(tried.exact()) << what;
        EXPECT_EQ(tried.pairs_lost, *expected) << what;
        for (const Worst& worst : {proved, tried})
          if (!worst.components.empty()) {
            EXPECT_EQ(worst.components.size(), faults) << what;
            EXPECT_EQ(lost(subject, worst.components), worst.pairs_lost) << what;
          } else {
            EXPECT_EQ(worst.pairs_lost, 0U) << what;
          }
      }
    }
}

TEST_P(AdversaryOf, FindsTheWorstSetAndBoundsIt) {
  for (const SampleNetwork& network : sample_networks(GetParam())) {
    expect_worst_sets(network);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, AdversaryOf, testing::ValuesIn(thinned(sample_topologies(), 3)));

Worst worst(const std::string& topology, const std::string& routing, FaultUnits unit, std::uint32_t faults) {
  const SampleNetwork network = make_network(topology, routing);
  const FaultComponents components(network.relation->shared_topology(), unit, FaultScope::network);
  const Subject subject{network.relation, network.survival, components};
  return Adversary(subject, *make_evaluator(subject, ""), 1, {.max_sets = 0}).worst(faults);
}

TEST(Adversary, ProvesThatALeafSwitchesWaysUpAreTheWorst) {
  // 4 terminals cannot reach the other 60 any more.
  const Worst four = worst("fat-tree:k=4,n=3", "", FaultUnit::channel, 4);
  EXPECT_TRUE(four.exact());
  EXPECT_EQ(four.pairs_lost, 4 * 60U);
  const Worst three = worst("fat-tree:k=4,n=3", "", FaultUnit::channel, 3);
  EXPECT_TRUE(three.exact());
  EXPECT_TRUE(three.components.empty());
}

TEST(Adversary, ProvesThatTwoLeafSwitchesAreWorseThanAnythingElse) {
  const Worst eight = worst("fat-tree:k=4,n=3", "", FaultUnit::channel, 8);
  EXPECT_TRUE(eight.exact());
  EXPECT_EQ(eight.pairs_lost, 2 * 4 * 60U);
}

/// Once stopped, it throws; what resilience() has finished by then is kept.
TEST(Adversary, LeavesWhatIsFinishedWhenItIsStopped) {
  const SampleNetwork network = make_network("mesh:radix=4x4", "shortest-path");
  const FaultComponents links(network.relation->shared_topology(), FaultUnit::link, FaultScope::network);
  std::atomic<bool> stop = true;
  const Subject subject{network.relation, network.survival, links};
  for (const std::uint64_t max_sets : {0ULL, 1'000'000ULL})
    EXPECT_THROW(
        (void)Adversary(subject, *make_evaluator(subject, ""), 1, {.max_sets = max_sets, .stop = &stop})
            .worst(4),
        Stopped);
  stop = false;
  const ResilienceResult result = resilience(
      network.relation, network.survival, links,
      {.fractions = {.fault_counts = {3}, .samples = 100}, .adversary = true, .conditions = {.stop = &stop}},
      [&](std::string_view, std::uint64_t done, std::uint64_t total) { stop = done == total; });
  EXPECT_TRUE(result.interrupted);
  ASSERT_EQ(result.fractions.points.size(), 1U);
  EXPECT_EQ(result.fractions.points.front().sets, 100U);
  EXPECT_FALSE(result.fractions.points.front().worst_faults.has_value());
}

TEST(Adversary, CutsATorusCorner) {
  // 4 links isolate one switch of a torus; 6 isolate two neighbours.
  const Worst four = worst("torus:radix=5x5", "shortest-path", FaultUnit::link, 4);
  EXPECT_TRUE(four.exact());
  EXPECT_EQ(four.pairs_lost, 2 * 24U);
  const Worst six = worst("torus:radix=5x5", "shortest-path", FaultUnit::link, 6);
  EXPECT_TRUE(six.exact());
  EXPECT_EQ(six.pairs_lost, 2 * 2 * 23U);
}

}  // namespace
}  // namespace faultline::survival
