// SPDX-License-Identifier: Apache-2.0
// The list of minimum cuts against every set of their size, tried one by one.
#include <gtest/gtest.h>

#include <set>

#include "resilience/cuts/minimum_cuts.h"
#include "resilience/evaluate/fault_sets.h"
#include "support/effort.h"
#include "support/failing.h"
#include "support/sample_networks.h"

namespace faultline::survival {
namespace {

using Sets = std::vector<std::vector<Component>>;

/// The sets of `size` that lose a pair, in order; nothing where they are many to try.
std::optional<Sets> tried(const Subject& subject, std::uint32_t size) {
  const auto count = static_cast<std::uint32_t>(subject.components.count());
  const BigInteger sets = binomial(count, size);
  if (sets > 3000) return std::nullopt;
  const auto evaluator = make_reference_evaluator(subject);
  FaultBlock block{.faults = size, .lanes = static_cast<std::uint32_t>(sets), .members = {}};
  list_fault_sets(block, count, 0);
  Verdicts verdicts;
  evaluator->evaluate(block, verdicts);
  Sets result;
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
    if (verdicts.lost_pairs[lane] != 0) result.emplace_back(block.set(lane).begin(), block.set(lane).end());
  return result;
}

class MinimumCutsOf : public testing::TestWithParam<std::string> {};

void expect_all_minimum_cuts(const SampleNetwork& network) {
  if (network.relation->topology().terminal_count() > 9) return;
  for (const Failing& failing : thinned(all_failing(network.survival), 2)) {
    const FaultComponents components(network.relation->shared_topology(), failing.unit, failing.scope);
    const Subject subject{network.relation, network.survival, components, failing.knowledge, failing.source};
    const auto evaluator = make_evaluator(subject, "word");
    const Tolerance tolerance = failing.knowledge.is_all()
                                    ? tolerance_by_cuts(subject)
                                    : tolerance_by_enumeration(*evaluator, components, 3000);
    if (!tolerance.exact) continue;
    const auto cuts = minimum_cuts(subject, *evaluator, tolerance, 100'000);
    const std::string what = network.name + " " + failing.text();
    if (!cuts) {
      EXPECT_EQ(tolerance.faults, components.count()) << what;
      continue;
    }
    const auto expected = tried(subject, cuts->size);
    if (!expected) continue;
    ASSERT_EQ(cuts->listed, *expected) << what;
    ASSERT_TRUE(cuts->count) << what;
    EXPECT_EQ(*cuts->count, expected->size()) << what;
    const auto some = minimum_cuts(subject, *evaluator, tolerance, 2);
    EXPECT_EQ(some->listed.size(), std::min<std::size_t>(2, expected->size())) << what;
    EXPECT_EQ(*some->count, expected->size()) << what;
  }
}

TEST_P(MinimumCutsOf, ListsEachSetThatDisconnectsAndNoOther) {
  for (const SampleNetwork& network : sample_networks(GetParam())) {
    expect_all_minimum_cuts(network);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, MinimumCutsOf, testing::ValuesIn(sample_topologies()));

TEST(MinimumCuts, OfATreeAreThoseOfEachPairOfLeaves) {
  // 16 leaves, 4 ways up: a leaf's 4 channels up, another's 4 down, or for each way one or the other of a
  // pair.
  const SampleNetwork network = make_network("fat-tree:k=4,n=3");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  const Subject subject{network.relation, network.survival, components};
  const auto cuts =
      minimum_cuts(subject, *make_evaluator(subject, "word"), tolerance_by_cuts(subject), 10'000);
  ASSERT_TRUE(cuts);
  EXPECT_EQ(cuts->size, 4U);
  EXPECT_EQ(*cuts->count, 16 + 16 + 16 * 15 * 14);
  EXPECT_EQ(cuts->listed.size(), 16 + 16 + 16 * 15 * 14);
  EXPECT_EQ(std::set(cuts->listed.begin(), cuts->listed.end()).size(), cuts->listed.size());
}

}  // namespace
}  // namespace faultline::survival
