// SPDX-License-Identifier: Apache-2.0
// Kim, Dally, Scott & Abts, ISCA 2008, section 4.2 and Figure 8: what minimal, Valiant and UGAL routing
// accept on a balanced dragonfly, and that the two switching models agree on it.
#include <gtest/gtest.h>

#include "faultline/simulate/simulate.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

/// Both models with buffers of one packet at the inputs, and load that saturates them.
SimulationSpec packet_sized(Switching switching, std::string_view selection) {
  SimulationSpec spec;
  spec.injection.load = 1;
  spec.measurement.cycles = 250'000;
  spec.measurement.warmup = 10'000;
  spec.selection = testing_support::selection(selection);
  spec.switches = switches_of(switching, {.buffer_packets = 1, .buffers = Buffering::input},
                              {.buffer_flits = spec.injection.packet_flits, .credit_delay_cycles = 0});
  return spec;
}

struct Accepted {
  double minimal, valiant, ugal;
};

Accepted accepted(std::string_view traffic, Switching switching) {
  const auto run = [&](std::string_view routing, std::string_view selection) {
    const auto built = testing_support::network("dragonfly:p=2,a=4,h=2", routing, traffic);
    return simulate(*built.relation, *built.pattern, packet_sized(switching, selection)).accepted;
  };
  return {run("dragonfly-minimal", "random"), run("valiant", "random"), run("ugal", "ugal")};
}

void expect_near(const Accepted& a, const Accepted& b) {
  EXPECT_NEAR(a.minimal, b.minimal, 0.05 * b.minimal);
  EXPECT_NEAR(a.valiant, b.valiant, 0.05 * b.valiant);
  // Over six seeds 4.8 % apart at uniform traffic, 4.2 % at the other.
  EXPECT_NEAR(a.ugal, b.ugal, 0.05 * b.ugal);
}

TEST(SlowDragonfly, UniformTrafficIsBestServedDirectly) {
  const Accepted cut_through = accepted("uniform", Switching::cut_through);
  const Accepted wormhole = accepted("uniform", Switching::wormhole);
  for (const Accepted& one : {cut_through, wormhole}) {
    EXPECT_GT(one.minimal, 1.2 * one.valiant);
    EXPECT_GT(one.ugal, 1.1 * one.valiant);
  }
  expect_near(cut_through, wormhole);
}

/// All packets of a group need its one link to the next: minimal routing achieves only 1/(a p) per terminal.
TEST(SlowDragonfly, AdversarialTrafficNeedsOtherGroups) {
  const Accepted cut_through = accepted("group-shift", Switching::cut_through);
  const Accepted wormhole = accepted("group-shift", Switching::wormhole);
  for (const Accepted& one : {cut_through, wormhole}) {
    EXPECT_LE(one.minimal, 1.0 / 8);
    EXPECT_GT(one.valiant, 2 * one.minimal);
    EXPECT_GT(one.ugal, 2 * one.minimal);
  }
  expect_near(cut_through, wormhole);
}

}  // namespace
}  // namespace faultline
