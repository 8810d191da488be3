// SPDX-License-Identifier: Apache-2.0
// Exact counts on random circuits against trying every set, and on a tree that is too large for that against
// methods that share nothing with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "faultline/base/random.h"
#include "resilience/circuit/exact_count.h"
#include "resilience/cuts/minimum_cuts.h"
#include "resilience/fractions/rare_event.h"
#include "support/sample_networks.h"

namespace faultline::survival {
namespace {

constexpr std::uint32_t components = 11;

/// Random gates over each other, a third of them with a component's death among their operands.
Circuit random_circuit(RandomStream random) {
  Circuit circuit(components);
  std::vector<Node> nodes;
  for (std::uint32_t component = 0; component < components; ++component)
    nodes.push_back(circuit.alive(component));
  const std::uint32_t gates = 4 + random.next_below(14);
  for (std::uint32_t i = 0; i < gates; ++i) {
    std::vector<Node> operands;
    for (std::uint32_t count = 2 + random.next_below(3); count > 0; --count)
      operands.push_back(nodes[random.next_below(static_cast<std::uint32_t>(nodes.size()))]);
    if (random.next_below(3) == 0) operands.push_back(circuit.dead(random.next_below(components)));
    nodes.push_back(random.next_below(2) == 0 ? circuit.all(operands) : circuit.any(operands));
  }
  for (std::uint32_t count = 1 + random.next_below(4); count > 0; --count)
    circuit.require(nodes[components + random.next_below(gates)]);
  return circuit;
}

bool holds(const Circuit& circuit, Node node, std::uint32_t failed) {
  const auto operand_holds = [&](Node operand) { return holds(circuit, operand, failed); };
  const auto operands = circuit.operands(node);
  switch (circuit.gate(node)) {
    case Circuit::Gate::alive:
      return (failed >> operands.front() & 1U) == 0;
    case Circuit::Gate::dead:
      return (failed >> operands.front() & 1U) != 0;
    case Circuit::Gate::all:
      return std::ranges::all_of(operands, operand_holds);
    case Circuit::Gate::any:
      return std::ranges::any_of(operands, operand_holds);
    default:
      return node == Circuit::one;
  }
}

TEST(ExactCount, OfRandomCircuitsIsThatOfTryingEverySet) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Circuit circuit = random_circuit(RandomStream(seed, 0));
    std::vector<std::uint64_t> expected(components + 1);
    for (std::uint32_t failed = 0; failed < 1U << components; ++failed)
      if (std::ranges::all_of(circuit.outputs(), [&](const Circuit::Output& output) {
            return holds(circuit, output.node, failed);
          }))
        ++expected[static_cast<std::size_t>(std::popcount(failed))];
    for (const std::uint32_t most : {components, components / 2, 2U}) {
      const auto counted = count_tolerable_sets(circuit, most);
      ASSERT_TRUE(counted);
      for (std::uint32_t faults = 0; faults <= most; ++faults)
        ASSERT_EQ((*counted)[faults], expected[faults]) << "seed " << seed << ", " << faults << " faults";
    }
  }
}

class SlowTree : public testing::Test {
 protected:
  SampleNetwork network = make_network("fat-tree:k=4,n=3");
  FaultComponents channels{network.relation->shared_topology(), FaultUnit::channel, FaultScope::network};
  Subject subject{network.relation, network.survival, channels};
};

TEST_F(SlowTree, FiveFaultsAreAMinimumCutAndOneMore) {
  // No other cut has five components: a way around a leaf switch's channels needs seven.
  const auto cuts =
      minimum_cuts(subject, *make_evaluator(subject, "word"), tolerance_by_cuts(subject), 10'000);
  std::vector<std::uint64_t> sets;
  for (const auto& cut : cuts->listed)
    for (Component more = 0; more < channels.count(); ++more) {
      std::vector<Component> set = cut;
      if (std::ranges::find(set, more) != set.end()) continue;
      set.push_back(more);
      std::ranges::sort(set);
      std::uint64_t packed = 0;
      for (const Component component : set) packed = packed << 8 | component;
      sets.push_back(packed);
    }
  std::ranges::sort(sets);
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  EXPECT_EQ(binomial(256, 5) - count_tolerable_sets(*compile_requirements(subject), 5)->at(5), sets.size());
}

TEST_F(SlowTree, EightFaultsAreCountedAndEstimatedAlike) {
  const auto requirements = compile_requirements(subject);
  const auto tolerable = count_tolerable_sets(*requirements, 8);
  ASSERT_TRUE(tolerable);
  for (const std::uint32_t faults : {6U, 7U, 8U}) {
    const BigInteger total = binomial(256, faults);
    const double exact =
        BigInteger(total - tolerable->at(faults)).convert_to<double>() / total.convert_to<double>();
    const RareEstimate estimate = RareEvents(*requirements, faults).estimate(faults, 20'000, 1, 1);
    EXPECT_LT(estimate.relative_error, 0.02);
    EXPECT_LT(std::abs(estimate.fraction - exact), 4 * estimate.relative_error * exact) << faults;
  }
}

}  // namespace
}  // namespace faultline::survival
