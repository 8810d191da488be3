// SPDX-License-Identifier: Apache-2.0
// The two cut-through engines on random relations under traffic, with every selection function.
#include <gtest/gtest.h>

#include "simulate/cut_through/model.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/random_relation.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

SimulationSpec drawn_spec(RandomStream& random, const SelectionRule& rule, std::uint32_t vcs) {
  SimulationSpec spec;
  spec.selection = rule;
  spec.injection.packet_flits = 1 + random.next_below(9);
  spec.injection.load = 0.05 + 0.1 * random.next_below(6);
  spec.injection.load = std::min<double>(spec.injection.load, spec.injection.packet_flits);
  spec.measurement.cycles = 1200;
  spec.measurement.warmup = 100;
  CutThroughSwitches switches{.buffer_packets = 1 + random.next_below(3)};
  const std::array bufferings{Buffering::input, Buffering::output, Buffering::both};
  switches.buffers = vcs > 1 ? Buffering::input : bufferings[random.next_below(3)];
  switches.routing_cycles = random.next_below(5);
  switches.crossbar_cycles = random.next_below(3);
  spec.switches = std::move(switches);
  spec.seed = random.next();
  return spec;
}

TEST(CutThroughEngines, DeliverTheSamePacketsOnRandomRelations) {
  std::uint64_t delivered = 0;
  for (const SelectionKind* kind : selection_kinds())
    for (std::uint64_t seed = 1; seed <= effort(60U, 20U); ++seed) {
      SCOPED_TRACE(testing::Message() << "selection " << kind->info.name << ", seed " << seed);
      RandomStream random(seed, 9);
      const testing_support::RandomRelation relation(seed);
      const PatternPtr pattern = build_pattern(relation.topology(), 1, parse_compact("traffic", "uniform"));
      const SimulationSpec spec =
          resolved(drawn_spec(random, kind->rule, relation.virtual_channels()), *pattern);
      const auto event_driven = cut_through::run_event_driven(relation, *pattern, spec);
      const auto cycle_driven = cut_through::run_cycle_driven(relation, *pattern, spec);
      ASSERT_EQ(event_driven.checksum, cycle_driven.checksum);
      testing_support::expect_equal_results(event_driven.result, cycle_driven.result);
      if (testing::Test::HasFailure()) return;
      delivered += event_driven.result.delivered;
    }
  EXPECT_GT(delivered, effort(10'000U, 3'000U));
}

}  // namespace
}  // namespace faultline
