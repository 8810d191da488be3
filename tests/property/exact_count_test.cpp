// SPDX-License-Identifier: Apache-2.0
// Exact counts on random circuits against trying every set, and on a tree that is too large for that against
// methods that share no code with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "faultline/base/random.h"
#include "resilience/circuit/canonical_forms.h"
#include "resilience/circuit/exact_count.h"
#include "resilience/cuts/minimum_cuts.h"
#include "resilience/fractions/rare_event.h"
#include "support/sample_networks.h"

namespace faultline::survival {
namespace {

constexpr std::uint32_t component_count = 11;

/// Random gates over each other, a third of them with a component's death among their operands.
Circuit random_circuit(RandomStream random) {
  Circuit circuit(component_count);
  std::vector<Node> nodes;
  for (std::uint32_t component = 0; component < component_count; ++component)
    nodes.push_back(circuit.alive(component));
  const std::uint32_t gates = 4 + random.next_below(14);
  for (std::uint32_t i = 0; i < gates; ++i) {
    std::vector<Node> operands;
    for (std::uint32_t count = 2 + random.next_below(3); count > 0; --count)
      operands.push_back(nodes[random.next_below(static_cast<std::uint32_t>(nodes.size()))]);
    if (random.next_below(3) == 0) operands.push_back(circuit.dead(random.next_below(component_count)));
    nodes.push_back(random.next_below(2) == 0 ? circuit.all(operands) : circuit.any(operands));
  }
  for (std::uint32_t count = 1 + random.next_below(4); count > 0; --count)
    circuit.require(nodes[component_count + random.next_below(gates)]);
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

std::vector<std::uint64_t> tolerable_by_trying(const Circuit& circuit) {
  std::vector<std::uint64_t> sets(circuit.components() + std::size_t{1});
  for (std::uint32_t failed = 0; failed < 1U << circuit.components(); ++failed)
    if (std::ranges::all_of(circuit.outputs(), [&](const Circuit::Output& output) {
          return holds(circuit, output.node, failed);
        }))
      ++sets[static_cast<std::size_t>(std::popcount(failed))];
  return sets;
}

TEST(ExactCount, OfRandomCircuitsIsThatOfTryingEverySet) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Circuit circuit = random_circuit(RandomStream(seed, 0));
    const std::vector<std::uint64_t> expected = tolerable_by_trying(circuit);
    for (const std::uint32_t most : {component_count, component_count / 2, 2U}) {
      const auto counted = count_tolerable_sets(circuit, most);
      ASSERT_TRUE(counted);
      for (std::uint32_t faults = 0; faults <= most; ++faults)
        ASSERT_EQ((*counted)[faults], expected[faults]) << "seed " << seed << ", " << faults << " faults";
    }
  }
}

/// Gates over five components, and the same gates over other components; some components are pairs of
/// parallel ones.
Circuit copies_of_random_gates(RandomStream random, std::uint32_t copies) {
  constexpr std::uint32_t each = 5, pairs = 2;
  Circuit circuit(copies * (each + pairs));
  const std::uint64_t seed = random.next_below(1U << 30);
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    RandomStream same(seed, 0);
    std::vector<std::uint32_t> names(each + pairs);
    for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = copy * (each + pairs) + i;
    std::vector<Node> nodes;
    for (std::uint32_t i = 0; i < each; ++i) {
      nodes.push_back(circuit.alive(names[i]));
      if (i < pairs) nodes.back() = circuit.any(std::array{nodes.back(), circuit.alive(names[each + i])});
    }
    // Copies list their components in another order.
    std::vector<std::size_t> position(each);
    for (std::size_t i = 0; i < each; ++i) position[i] = i < pairs ? (i + copy) % pairs : i;
    for (int gate = 0; gate < 6; ++gate) {
      std::vector<Node> operands;
      for (int i = 0; i < 3; ++i) {
        const std::size_t drawn = same.next_below(static_cast<std::uint32_t>(nodes.size()));
        operands.push_back(nodes[drawn < each ? position[drawn] : drawn]);
      }
      nodes.push_back(same.next_below(2) == 0 ? circuit.all(operands) : circuit.any(operands));
    }
    circuit.require(circuit.any(std::array{nodes[each + 5], nodes[each + 4]}));
    circuit.require(nodes[each + 3]);
  }
  return circuit;
}

TEST(ExactCount, OfPartsThatAreAlikeIsThatOfTryingEverySet) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Circuit circuit = copies_of_random_gates(RandomStream(seed, 1), 2);
    const std::vector<std::uint64_t> expected = tolerable_by_trying(circuit);
    const auto counted = count_tolerable_sets(circuit, circuit.components());
    ASSERT_TRUE(counted);
    for (std::uint32_t faults = 0; faults <= circuit.components(); ++faults)
      ASSERT_EQ((*counted)[faults], expected[faults]) << "seed " << seed << ", " << faults << " faults";
  }
}

std::vector<Node> roots_of(const Circuit& circuit) {
  std::vector<Node> roots;
  for (const Circuit::Output& output : circuit.outputs()) roots.push_back(output.node);
  std::ranges::sort(roots);
  return roots;
}

/// Components become others, each one of its own type, and gates list their operands the other way round.
Circuit renamed(const Circuit& circuit, const std::vector<std::uint32_t>& names) {
  Circuit result(circuit.components());
  std::vector<Node> image(circuit.node_count());
  for (Node node = 0; node < circuit.node_count(); ++node) {
    const auto gate = circuit.gate(node);
    std::vector<Node> operands;
    if (gate == Circuit::Gate::all || gate == Circuit::Gate::any)
      for (const Node operand : circuit.operands(node)) operands.insert(operands.begin(), image[operand]);
    image[node] = gate == Circuit::Gate::alive  ? result.alive(names[circuit.operands(node).front()])
                  : gate == Circuit::Gate::dead ? result.dead(names[circuit.operands(node).front()])
                  : gate == Circuit::Gate::all  ? result.all(operands)
                  : gate == Circuit::Gate::any  ? result.any(operands)
                                                : node;
  }
  for (const Circuit::Output& output : circuit.outputs()) result.require(image[output.node]);
  return result;
}

TEST(CanonicalForms, AreTheSameForFunctionsThatDifferInNamesAlone) {
  std::vector<std::uint32_t> types(component_count);
  for (std::uint32_t component = 0; component < component_count; ++component)
    types[component] = component % 2;
  CanonicalForms forms(types);
  int same = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Circuit circuit = random_circuit(RandomStream(seed, 2));
    RandomStream random(seed, 3);
    std::vector<std::uint32_t> names(component_count);
    for (std::uint32_t i = 0; i < component_count; ++i) names[i] = i;
    for (std::uint32_t i = component_count; i-- > 2;)
      std::swap(names[i], names[i - 2 * random.next_below(i / 2 + 1)]);
    const Circuit other = renamed(circuit, names);
    same += forms.form(circuit, roots_of(circuit)) == forms.form(other, roots_of(other)) ? 1 : 0;
  }
  EXPECT_EQ(same, 200);
}

TEST(CanonicalForms, AreDifferentForFunctionsWithDifferentCounts) {
  // Alike components, so that equal forms mean equal numbers of tolerable sets.
  CanonicalForms forms{std::vector<std::uint32_t>(component_count)};
  std::map<std::vector<Node>, std::vector<std::uint64_t>> by_form;
  std::set<std::vector<std::uint64_t>> different;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Circuit circuit = random_circuit(RandomStream(seed, 4));
    const std::vector<std::uint64_t> sets = tolerable_by_trying(circuit);
    const auto [known, is_new] = by_form.emplace(forms.form(circuit, roots_of(circuit)), sets);
    EXPECT_EQ(known->second, sets) << "seed " << seed;
    different.insert(sets);
  }
  EXPECT_GT(different.size(), 50U);
}

TEST(CanonicalForms, DoNotMixTypes) {
  CanonicalForms forms({0, 1, 0});
  Circuit circuit(3);
  const auto form = [&](std::uint32_t component) {
    return forms.form(circuit, std::array{circuit.alive(component)});
  };
  EXPECT_EQ(form(0), form(2));
  EXPECT_NE(form(0), form(1));
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

TEST_F(SlowTree, TenFaultsAreCountedAndEstimatedAlike) {
  const auto requirements = compile_requirements(subject);
  const auto tolerable = count_tolerable_sets(*requirements, 10);
  ASSERT_TRUE(tolerable);
  for (const std::uint32_t faults : {6U, 8U, 10U}) {
    const BigInteger total = binomial(256, faults);
    const double exact =
        BigInteger(total - tolerable->at(faults)).convert_to<double>() / total.convert_to<double>();
    const RareEstimate estimate = RareEvents(*requirements, faults).estimate(faults, 20'000, 1, 1).value();
    EXPECT_LT(estimate.relative_error, 0.02);
    EXPECT_LT(std::abs(estimate.fraction - exact), 4 * estimate.relative_error * exact) << faults;
  }
}

TEST(RareEvents, AStoppedEstimateIsAbsent) {
  const SampleNetwork network = make_network("ruft:k=2,n=3");
  const FaultComponents channels{network.relation->shared_topology(), FaultUnit::channel,
                                 FaultScope::network};
  const auto requirements = compile_requirements({network.relation, network.survival, channels});
  const RareEvents rare(*requirements, 3);
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(rare.estimate(3, 1000, 1, 1));
  EXPECT_FALSE(rare.estimate(3, 1000, 1, 1, &stop));
}

TEST(SlowExactCount, OfTenFaultsIsWithinTheIntervalOfSampledSets) {
  const SampleNetwork network = make_network("fat-tree:k=4,n=3");
  const FaultComponents channels{network.relation->shared_topology(), FaultUnit::channel,
                                 FaultScope::network};
  ResilienceSpec spec{
      .fractions = {.fault_counts = {10}, .method = ResilienceMethod::sampled, .samples = 400'000}};
  const FaultPoint sampled =
      resilience(network.relation, network.survival, channels, spec).fractions.points.front();
  const auto tolerable =
      count_tolerable_sets(*compile_requirements({network.relation, network.survival, channels}), 10);
  const BigInteger total = binomial(256, 10);
  const double exact =
      BigInteger(total - tolerable->at(10)).convert_to<double>() / total.convert_to<double>();
  EXPECT_LT(sampled.intolerable_interval.low, exact);
  EXPECT_GT(sampled.intolerable_interval.high, exact);
}

TEST(SlowExactCount, EightFaultsOfAFaultTolerantRuftOf512Terminals) {
  const SampleNetwork network = make_network("ft-ruft-212:k=8,n=3");
  const FaultComponents channels{network.relation->shared_topology(), FaultUnit::channel,
                                 FaultScope::network};
  const auto requirements = compile_requirements({network.relation, network.survival, channels});
  const auto tolerable = count_tolerable_sets(*requirements, 8);
  ASSERT_TRUE(tolerable);
  const BigInteger total = binomial(1024, 8);
  const double exact = BigInteger(total - tolerable->at(8)).convert_to<double>() / total.convert_to<double>();
  const RareEstimate estimate = RareEvents(*requirements, 8).estimate(8, 20'000, 1, 1).value();
  EXPECT_LT(estimate.relative_error, 0.05);
  EXPECT_LT(std::abs(estimate.fraction - exact), 4 * estimate.relative_error * exact);
}

}  // namespace
}  // namespace faultline::survival
