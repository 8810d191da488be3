// SPDX-License-Identifier: Apache-2.0
// Speed-ups of a switch against known results for one switch under uniform traffic: with one queue per input
// it carries 2 - sqrt(2) = 0.586 of its channels (0.60 for 16 inputs: Karol, Hluchyj and Morgan, IEEE Trans.
// Communications 1987), with queues at the outputs only nearly all of it.
#include <gtest/gtest.h>

#include "faultline/base/error.h"
#include "faultline/selection/selection.h"
#include "faultline/simulate/simulate.h"
#include "support/effort.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::network;
using testing_support::Network;

double accepted(Switching switching, Speedup speedup, Buffering buffers = Buffering::both,
                std::uint32_t vcs = 1) {
  const Network one_switch = network("fat-tree:k=16,n=1");
  SimulationSpec spec{
      .injection = {.load = 1, .packet_flits = 4},
      .switches = switches_of(switching, {.buffer_packets = 64, .buffers = buffers, .routing_cycles = 0},
                              {.buffer_flits = 64}),
      .speedup = speedup,
      .measurement = {.cycles = effort(20'000U, 6'000U)}};
  if (switching == Switching::wormhole) spec.virtual_channels = vcs;
  const SimulationResult result = simulate(*one_switch.relation, *one_switch.pattern, spec);
  EXPECT_EQ(result.generated, result.delivered + result.in_flight);
  return result.accepted;
}

TEST(Speedup, OneQueueAnInputBlocksBehindItsHead) {
  EXPECT_NEAR(accepted(Switching::cut_through, {}, Buffering::input), 0.60, 0.04);
}

TEST(Speedup, QueuesAtTheOutputsCarryNearlyEverything) {
  EXPECT_GT(accepted(Switching::cut_through, {.output = 16}), 0.95);
  EXPECT_GT(accepted(Switching::wormhole, {.output = 8}, Buffering::automatic, 8), 0.95);
  EXPECT_LT(accepted(Switching::wormhole, {}, Buffering::automatic, 8), 0.75);
}

TEST(Speedup, TwiceAsFastInsideIsNearlyAsGood) {
  EXPECT_GT(accepted(Switching::cut_through, {.internal = 2}), 0.93);
  EXPECT_GT(accepted(Switching::wormhole, {.internal = 2}), 0.85);
}

TEST(Speedup, MoreWaysIntoTheCrossbarLetPacketsPassTheHead) {
  const double one = accepted(Switching::cut_through, {}, Buffering::input);
  const double two = accepted(Switching::cut_through, {.input = 2}, Buffering::input);
  const double eight = accepted(Switching::cut_through, {.input = 8}, Buffering::input);
  EXPECT_GT(two, one + 0.05);
  EXPECT_GT(eight, two + 0.02);
  // Crossbar inputs belong to virtual channels: only as many are useful as there are of these.
  const double single = accepted(Switching::wormhole, {}, Buffering::automatic, 4);
  EXPECT_GT(accepted(Switching::wormhole, {.input = 2}, Buffering::automatic, 4), single + 0.02);
  EXPECT_EQ(accepted(Switching::wormhole, {.input = 8}, Buffering::automatic, 1),
            accepted(Switching::wormhole, {}, Buffering::automatic, 1));
}

TEST(Speedup, WhatHasNoBufferToFillIsRefused) {
  EXPECT_THROW((void)accepted(Switching::cut_through, {.output = 2}, Buffering::input), Error);
  EXPECT_THROW((void)accepted(Switching::cut_through, {.internal = 2}, Buffering::input), Error);
  EXPECT_THROW((void)accepted(Switching::cut_through, {.input = 2}, Buffering::output), Error);
  EXPECT_THROW((void)accepted(Switching::wormhole, {.input = 0}), Error);
  EXPECT_THROW((void)accepted(Switching::wormhole, {.internal = 17}), Error);
}

/// The engine counts packets where they are: none is lost, and those that are queued for are read.
TEST(Speedup, EverySelectionTakesEverySpeedup) {
  const Network tree = network("fat-tree:k=4,n=2", "nca-adaptive");
  for (const SelectionKind* const kind : selection_kinds())
    for (const Switching switching : {Switching::cut_through, Switching::wormhole})
      for (const Speedup speedup : {Speedup{.input = 2}, Speedup{.output = 2}, Speedup{.internal = 3},
                                    Speedup{.input = 3, .output = 2, .internal = 2}}) {
        SimulationSpec spec{.injection = {.load = 0.9, .packet_flits = 4},
                            .switches = switches_of(switching, {.buffers = Buffering::both}),
                            .speedup = speedup,
                            .measurement = {.cycles = effort(3000U, 800U)}};
        spec.selection = selection_rule(parse_compact("selection", kind->info.name));
        const SimulationResult result = simulate(*tree.relation, *tree.pattern, spec);
        EXPECT_GT(result.delivered, 100U) << kind->info.name;
        EXPECT_EQ(result.generated, result.delivered + result.in_flight) << kind->info.name;
      }
}

TEST(Speedup, ALonelyPacketIsNoFaster) {
  const Network mesh = network("mesh:radix=4x4", "dimension-order");
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    SimulationSpec spec{.injection = {.load = 0.001, .packet_flits = 16},
                        .switches = switches_of(switching, {.buffers = Buffering::both}),
                        .measurement = {.cycles = 100'000}};
    const SimulationResult plain = simulate(*mesh.relation, *mesh.pattern, spec);
    spec.speedup = {4, 4, 1};
    const SimulationResult fast = simulate(*mesh.relation, *mesh.pattern, spec);
    EXPECT_EQ(plain.delivered, fast.delivered);
    EXPECT_NEAR(plain.latency.mean, fast.latency.mean, 0.02 * plain.latency.mean);
    EXPECT_EQ(plain.hops_mean, fast.hops_mean);
  }
}

}  // namespace
}  // namespace faultline
