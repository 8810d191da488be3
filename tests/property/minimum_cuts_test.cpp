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

/// A component has a share exactly if one of the sets names it. Of several units, one may cut no more than
/// another does: a link of a switch that fails as well. It has no share.
void expect_shares_of_members(const Tolerance& tolerance, const Sets& sets, FaultUnits units,
                              const std::string& what) {
  const bool one_unit =
      std::ranges::count_if(all_fault_units, [&](FaultUnit unit) { return units.contains(unit); }) == 1;
  std::vector<bool> is_member(tolerance.cut_share.size());
  for (const auto& set : sets)
    for (const Component component : set) is_member[component] = true;
  for (std::size_t component = 0; component < is_member.size(); ++component) {
    if (one_unit || !is_member[component]) {
      EXPECT_EQ(tolerance.cut_share[component] > 0, is_member[component]) << what << ", " << component;
    }
  }
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
    if (failing.knowledge.is_all()) expect_shares_of_members(tolerance, *expected, failing.unit, what);
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

INSTANTIATE_TEST_SUITE_P(Samples, MinimumCutsOf, testing::ValuesIn(thinned(sample_topologies(), 3)));

TEST(MinimumCuts, OfATreeAreThoseOfEachPairOfLeaves) {
  // 16 leaves, 4 ways up: a leaf's 4 channels up, another's 4 down, or for each way one or the other of a
  // pair.
  const SampleNetwork network = make_network("fat-tree:k=4,n=3");
  const FaultComponents components(network.relation->shared_topology(), FaultUnit::channel,
                                   FaultScope::network);
  const Subject subject{network.relation, network.survival, components};
  const Tolerance tolerance = tolerance_by_cuts(subject);
  const auto cuts = minimum_cuts(subject, *make_evaluator(subject, "word"), tolerance, 10'000);
  ASSERT_TRUE(cuts);
  EXPECT_EQ(cuts->size, 4U);
  EXPECT_EQ(*cuts->count, 16 + 16 + 16 * 15 * 14);
  EXPECT_EQ(cuts->listed.size(), 16 + 16 + 16 * 15 * 14);
  EXPECT_EQ(std::set(cuts->listed.begin(), cuts->listed.end()).size(), cuts->listed.size());
  // A leaf's channels up are in cuts of the pairs with a source at this leaf, its channels down in those with
  // a destination there, and others in none.
  std::size_t at_leaves = 0;
  for (const double share : tolerance.cut_share) {
    if (share == 0) continue;
    EXPECT_DOUBLE_EQ(share, 1.0 / 16);
    ++at_leaves;
  }
  EXPECT_EQ(at_leaves, 16 * 2 * 4);
}

}  // namespace
}  // namespace faultline::survival
