// SPDX-License-Identifier: Apache-2.0
// The warm-up of runs whose channels fail.
#include <gtest/gtest.h>

#include "simulate/measurement/stretches.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using namespace testing_support;

TEST(UnchangedStretch, IsTheFirstThatIsLongEnough) {
  const auto of = [](std::size_t bins, const std::vector<Time>& changes) {
    return unchanged_stretch(bins, 100, 10, changes);
  };
  EXPECT_EQ(of(80, {}), (Stretch{0, 80}));
  EXPECT_EQ(of(80, {500}), (Stretch{0, 40}));
  EXPECT_EQ(of(80, {200}), (Stretch{0, 10}));
  EXPECT_EQ(of(80, {199}), (Stretch{10, 80})) << "nine whole bins are too few, and the tenth has the change";
  EXPECT_EQ(of(80, {20}), (Stretch{0, 80})) << "a change before the first bin";
  EXPECT_EQ(of(80, {110, 150, 230, 700}), (Stretch{13, 60}));
  EXPECT_EQ(of(80, {10'000}), (Stretch{0, 80})) << "a change after the run";
  EXPECT_EQ(of(3, {121}), (Stretch{0, 2}));
  EXPECT_EQ(of(0, {121}), (Stretch{0, 0}));
  std::vector<Time> often;
  for (Time at = 150; at < 1'000; at += 50) often.push_back(at);
  EXPECT_EQ(of(80, often), (Stretch{0, 5})) << "none is: what precedes the first change";
}

TEST(UnchangedStretch, EndsWhereAChannelFailsOrIsRepaired) {
  const FaultSchedule outages{{ChannelId(0), 50, 70}, {ChannelId(1), 0, 60}, {ChannelId(2), 50}};
  EXPECT_EQ(times_of_changes(outages), (std::vector<Time>{50, 60, 70}));
  EXPECT_TRUE(times_of_changes({{ChannelId(0), 0}}).empty()) << "dead from the beginning on";
}

/// Packets have to fill the network first; a failure in the first cycles does not hide it.
TEST(WarmUp, IsFoundAfterAFailureInTheFirstCycles) {
  const Network built = network("fat-tree:k=4,n=3");
  const ChannelId failing = built.topology->outputs(SwitchId(0)).back();
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    SimulationSpec spec;
    spec.injection = {.load = 0.3, .packet_flits = 16};
    spec.switches = switches_of(switching);
    spec.measurement.cycles = 40'000;
    spec.faults.outages = {{failing, 20}};
    const SimulationResult found = simulate(*built.relation, *built.pattern, spec);
    EXPECT_GT(found.warmup_cycles, 0U);
    EXPECT_LT(found.warmup_cycles, 20'000U);
  }
}

}  // namespace
}  // namespace faultline
