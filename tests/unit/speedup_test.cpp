// SPDX-License-Identifier: Apache-2.0
// Speed-ups of a switch against known results for one switch under uniform traffic: with one queue per input
// it carries 2 - sqrt(2) = 0.586 of its channels (0.60 for 16 inputs: Karol, Hluchyj and Morgan, IEEE Trans.
// Communications 1987), with queues at the outputs only nearly all of it.
#include <gtest/gtest.h>

#include "faultline/base/error.h"
#include "faultline/selection/selection.h"
#include "faultline/simulate/simulate.h"
#include "support/effort.h"
#include "support/listed_packets.h"
#include "support/simulate_support.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing_support::ListedPackets;
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

/// A tail that a switch has sent faster than the channel takes it is on the channel until it arrives.
TEST(Speedup, ATailThatWaitsForItsChannelIsStillOnIt) {
  const TemporaryFolder folder;
  const std::string star =
      folder.file("star.edges", "switch s\nterminal a\nterminal b\nterminal c\na s\nb s\nc s\n");
  const Network built = network("graph:file=" + star, "shortest-path");
  const ListedPackets pattern(*built.topology,
                              {{TerminalId(0), {.time = 0, .destination = TerminalId(2), .flits = 9}},
                               {TerminalId(1), {.time = 0, .destination = TerminalId(2), .flits = 9}}});
  const ChannelId ejection = built.topology->ejection(TerminalId(2)).front();
  /// Cycles from the last failure that loses a packet to the arrival of the last tail.
  const auto margin = [&](std::uint32_t speedup) {
    SimulationSpec spec{.switches = WormholeSwitches{.buffer_flits = 16},
                        .virtual_channels = 2,
                        .speedup = {.output = speedup},
                        .measurement = {.cycles = 400, .warmup = 0},
                        .faults = {.on_failure = OnFailure::drop}};
    std::uint64_t arrival = 0;
    for (spec.measurement.cycles = 1; arrival == 0; ++spec.measurement.cycles)
      if (simulate(*built.relation, pattern, spec).delivered == 2) arrival = spec.measurement.cycles;
    spec.measurement.cycles = 400;
    std::uint64_t last = 0;
    for (std::uint64_t from = 1; from < 100; ++from) {
      spec.faults.outages = {{ejection, from, from + 1}};
      if (simulate(*built.relation, pattern, spec).delivered < 2) last = from;
    }
    return static_cast<std::int64_t>(arrival - last);
  };
  EXPECT_EQ(margin(2), margin(1));
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
