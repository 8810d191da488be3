// SPDX-License-Identifier: Apache-2.0
// A device gives the same answers as the processor's kernels and the plain reference. The tests of a GPU and
// those of an emulated one run the same checks.
#pragma once

#include <gtest/gtest.h>

#include "resilience/circuit/lower.h"
#include "resilience/evaluate/evaluator.h"
#include "resilience/evaluate/fault_sets.h"
#include "resilience/fractions/tally.h"
#include "resilience/kernels/device.h"
#include "support/failing.h"
#include "support/random_circuits.h"
#include "support/sample_networks.h"

namespace faultline::survival {

/// Drawn sets and given ones, of few faults, of many and of all.
inline void expect_device_agrees(const SampleNetwork& network, const Failing& failing, std::uint64_t sets) {
  const FaultComponents components(network.relation->shared_topology(), failing.unit, failing.scope);
  const auto count = static_cast<std::uint32_t>(components.count());
  const Subject subject{network.relation, network.survival, components, failing.knowledge, failing.source};
  const auto compiled = compile(subject);
  const auto reference = make_reference_evaluator(subject);
  const auto device = make_device_evaluator(*compiled);
  FaultSetSampler sampler(count, 3);
  for (const std::uint32_t faults : {0U, 1U, 3U, count / 2 + 1, count}) {
    if (faults > count) continue;
    constexpr std::uint64_t first = 1000;
    Tally expected;
    Verdicts verdicts, given;
    FaultBlock block{.faults = faults, .lanes = 1, .members = {}}, all = block;
    for (std::uint64_t set = first; set < first + sets; ++set) {
      sampler.draw(block, set);
      all.members.insert(all.members.end(), block.members.begin(), block.members.end());
      reference->evaluate(block, verdicts);
      expected.add(verdicts);
    }
    const std::string what = network.name + ' ' + failing.text() + ' ' + std::to_string(faults) + " faults";
    const Sums drawn = device->evaluate(DrawnSets{3, faults, first, sets});
    ASSERT_EQ(drawn.sets, sets) << what;
    ASSERT_EQ(drawn.intolerable, expected.intolerable) << what;
    ASSERT_EQ(drawn.lost, expected.lost) << what;
    ASSERT_EQ(drawn.lost_squared, expected.lost_squared) << what;
    ASSERT_EQ(drawn.live, expected.live) << what;
    all.lanes = static_cast<std::uint32_t>(sets);
    device->evaluate(all, given);
    Tally of_given;
    of_given.add(given);
    ASSERT_EQ(of_given.lost_squared, expected.lost_squared) << what;
    ASSERT_EQ(of_given.live, expected.live) << what;
  }
}

/// Sets of different sizes: the smaller ones repeat their first member.
inline void expect_device_counts_circuit(std::uint64_t seed, std::uint32_t sets, bool counting) {
  const RandomCircuit circuit(seed);
  const Program program = lower(circuit.circuit());
  auto alive = random_faults(program.components, sets, seed);
  std::vector<std::uint32_t> members;
  for (auto& set : alive) {
    if (std::ranges::find(set, false) == set.end()) set[0] = false;
    const std::size_t begin = members.size();
    for (std::uint32_t component = 0; component < program.components; ++component)
      if (!set[component]) members.push_back(component);
    members.resize(begin + program.components, members[begin]);
  }
  std::vector<std::uint64_t> lost(sets), live(sets), expected = lost_pairs(circuit.expressions(), alive);
  const LiveTables no_terminals;
  open_device({program, !counting, nullptr, no_terminals})->evaluate(members, program.components, lost, live);
  if (!counting)
    for (std::uint64_t& pairs : expected)
      if (pairs > program.pairs_never_alive) pairs = 1;
  ASSERT_EQ(lost, expected) << "seed " << seed;
}

}  // namespace faultline::survival
