// SPDX-License-Identifier: Apache-2.0
// Do the wormhole and the cut-through model agree where both can describe the same switch: one VC, a buffer
// of one packet at each input, a VC taken only when its buffer is empty?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faultline/simulate/simulate.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using namespace testing_support;

constexpr std::uint32_t packet_flits = 128;

struct Models {
  SimulationSpec cut_through, wormhole;
};

/// Both take the same cycles from input to output, and from a head's turn to its flight. The remaining
/// difference: a wormhole switch learns two cycles after the event that a buffer is empty, a cut-through
/// switch at once; that is negligible for packets of this length.
Models alike(double load, std::uint64_t cycles) {
  Models models;
  for (SimulationSpec* spec : {&models.cut_through, &models.wormhole}) {
    spec->injection.load = load;
    spec->measurement.cycles = cycles;
    spec->injection.packet_flits = packet_flits;
    spec->selection = testing_support::selection("random");
  }
  models.cut_through.switches = CutThroughSwitches{
      .buffer_packets = 1, .buffers = Buffering::input, .routing_cycles = 1, .crossbar_cycles = 3};
  models.wormhole.switches =
      WormholeSwitches{.buffer_flits = packet_flits, .credit_delay_cycles = 0, .atomic_vcs = true};
  return models;
}

std::vector<Network> networks() {
  return {network("mesh:radix=4x4", "dimension-order"), network("fat-tree:k=4,n=2", "nca"),
          network("fat-tree:k=2,n=4", "destro"), network("ruft:k=2,n=4", "ruft")};
}

TEST(Models, AgreeExactlyAboutAPacketAlone) {
  for (const Network& network : networks())
    for (std::uint32_t to = 1; to < network.topology->terminal_count(); to += 3) {
      const OnePair pattern(TerminalId(0), TerminalId(to));
      Models models = alike(0.01, 0);
      for (SimulationSpec* spec : {&models.cut_through, &models.wormhole}) {
        spec->measurement.packets_per_source = 1;
        spec->measurement.warmup = 0;
      }
      const SimulationResult cut_through = simulate(*network.relation, pattern, models.cut_through);
      const SimulationResult wormhole = simulate(*network.relation, pattern, models.wormhole);
      ASSERT_EQ(wormhole.delivered, 1U);
      EXPECT_EQ(cut_through.latency.mean, wormhole.latency.mean) << network.topology->name() << " to " << to;
      EXPECT_EQ(static_cast<std::uint64_t>(wormhole.latency.mean),
                zero_load_latency(*network.relation, TerminalId(0), TerminalId(to), models.wormhole));
    }
}

TEST(SlowModels, AgreeWithinTheirIntervalsBelowSaturation) {
  for (const Network& network : networks())
    for (const double load : {0.05, 0.1, 0.2}) {
      SCOPED_TRACE(fmt::format("{} load {}", network.topology->name(), load));
      const Models models = alike(load, 300'000);
      const SimulationResult a = simulate(*network.relation, *network.pattern, models.cut_through);
      const SimulationResult b = simulate(*network.relation, *network.pattern, models.wormhole);
      EXPECT_LE(std::max(a.latency.interval.low, b.latency.interval.low),
                std::min(a.latency.interval.high, b.latency.interval.high));
      EXPECT_LE(std::max(a.accepted_interval.low, b.accepted_interval.low),
                std::min(a.accepted_interval.high, b.accepted_interval.high));
      EXPECT_FALSE(a.saturated || b.saturated);
    }
}

}  // namespace
}  // namespace faultline
