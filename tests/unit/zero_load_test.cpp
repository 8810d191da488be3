// SPDX-License-Identifier: Apache-2.0
// The latency of a packet that is alone in the network, against simulations of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "faultline/simulate/simulate.h"
#include "faultline/topology/builder.h"
#include "simulate/cut_through/model.h"
#include "support/effort.h"
#include "support/error_message.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing_support::network;
using testing_support::Network;
using testing_support::small_spec;

class FiveDesigns : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Simulate, FiveDesigns,
                         testing::ValuesIn(thinned<const char*>(
                             {"fat-tree:k=2,n=3", "ruft:k=2,n=3", "ruft-pl:k=2,n=3", "ft-ruft-212:k=2,n=3",
                              "ft-ruft-222:k=2,n=3", "fat-tree:k=4,n=2", "ruft:k=3,n=2", "ruft-pl:k=4,n=2",
                              "ft-ruft-212:k=4,n=2", "ft-ruft-222:k=4,n=2"},
                             4)));

TEST_P(FiveDesigns, LeastLatencyOfEveryPairIsTheClosedForm) {
  const Network built = network(GetParam());
  for (const Buffering buffers : {Buffering::input, Buffering::output, Buffering::both})
    for (const std::uint32_t flits : {1U, 128U}) {
      SimulationSpec spec = small_spec(0.0002 * flits, flits);
      spec.cut_through().buffers = buffers;
      spec.measurement.cycles = 2'000'000;
      std::map<std::pair<std::uint32_t, std::uint32_t>, Time> least;
      std::vector<Delivery> deliveries;
      (void)cut_through::run_event_driven(*built.relation, *built.pattern, spec, {}, &deliveries);
      for (const Delivery& packet : deliveries) {
        const auto entry = least.try_emplace({packet.source, packet.destination}, never).first;
        entry->second = std::min(entry->second, packet.delivered - packet.generated);
      }
      const std::size_t terminals = built.topology->terminal_count();
      EXPECT_EQ(least.size(), terminals * (terminals - 1));
      for (const auto& [pair, latency] : least)
        EXPECT_EQ(static_cast<std::uint64_t>(latency),
                  zero_load_latency(*built.relation, TerminalId(pair.first), TerminalId(pair.second), spec))
            << pair.first << " to " << pair.second << ", " << flits << " flits";
    }
}

TEST(ZeroLoad, IsTheSumOfFlightsAndSwitchesAndThePacket) {
  // ruft k=4 n=3: channels of 1, 1, 1 and n + 1 = 4 cycles, three switches of 4 + 1.
  const Network ruft = network("ruft:k=4,n=3");
  EXPECT_EQ(zero_load_latency(*ruft.relation, TerminalId(0), TerminalId(1), small_spec(0.1, 128)),
            7U + 15U + 128U);
  // fat-tree: one switch to the neighbour, five switches and six channels to the other side.
  const Network tree = network("fat-tree:k=4,n=3");
  EXPECT_EQ(zero_load_latency(*tree.relation, TerminalId(0), TerminalId(1), small_spec(0.1, 16)),
            2U + 5U + 16U);
  EXPECT_EQ(zero_load_latency(*tree.relation, TerminalId(0), TerminalId(63), small_spec(0.1, 16)),
            6U + 25U + 16U);
}

TEST(ZeroLoad, IsThatOfALonePacketInAnyWormholeSwitch) {
  const Network built = network("mesh:radix=4", "dimension-order");
  for (const bool speculative : {false, true})
    for (const std::uint32_t longer : {0U, 1U, 3U}) {
      SimulationSpec spec = small_spec(0.1, 5);
      spec.switches = WormholeSwitches{};
      WormholeSwitches::Pipeline& stages = spec.wormhole().pipeline;
      stages.routing += longer;
      stages.switch_allocation += longer;
      stages.speculative = speculative;
      const Delivery packet =
          testing_support::lone_packet(*built.relation, TerminalId(0), TerminalId(3), spec);
      EXPECT_EQ(zero_load_latency(*built.relation, TerminalId(0), TerminalId(3), spec),
                static_cast<std::uint64_t>(packet.delivered - packet.generated));
    }
}

/// Small buffers let a flit go only when credits have come back, around channels of 1 and of 4 cycles.
TEST(ZeroLoad, IsThatOfALonePacketThatWaitsForCredits) {
  const Network mesh = network("mesh:radix=4x2", "dimension-order"), ruft = network("ruft:k=4,n=3");
  for (const Network* const built : {&mesh, &ruft})
    for (const std::uint32_t buffer : thinned(std::vector{1U, 2U, 4U, 7U, 16U}, 2))
      for (const std::uint32_t credit_delay : {0U, 1U, 5U})
        for (const std::uint32_t internal : thinned(std::vector{1U, 2U, 3U}, 2))
          for (const std::uint32_t flits : {1U, 8U, 40U}) {
            SimulationSpec spec = small_spec(0.1, flits);
            spec.switches = WormholeSwitches{.buffer_flits = buffer, .credit_delay_cycles = credit_delay};
            spec.wormhole().pipeline.switch_traversal = flits % 3;
            spec.speedup.internal = internal;
            const Delivery packet =
                testing_support::lone_packet(*built->relation, TerminalId(0), TerminalId(7), spec);
            EXPECT_EQ(zero_load_latency(*built->relation, TerminalId(0), TerminalId(7), spec),
                      static_cast<std::uint64_t>(packet.delivered - packet.generated))
                << built->topology->name() << ", buffer " << buffer << ", credit delay " << credit_delay
                << ", internal speed-up " << internal << ", " << flits << " flits";
          }
}

TEST(ZeroLoad, RefusesWhatSimulationsRefuse) {
  const Network built = network("mesh:radix=4", "dimension-order");
  const auto refusal = [&](auto change) {
    SimulationSpec spec = small_spec(0.1, 5);
    spec.switches = WormholeSwitches{};
    change(spec);
    return testing_support::error_message(
        [&] { (void)zero_load_latency(*built.relation, TerminalId(0), TerminalId(3), spec); });
  };
  EXPECT_THAT(refusal([](SimulationSpec& spec) { spec.wormhole().buffer_flits = 0; }),
              testing::HasSubstr("simulate.buffer-flits"));
  EXPECT_THAT(refusal([](SimulationSpec& spec) { spec.injection.packet_flits = 0; }),
              testing::HasSubstr("simulate.packet-flits"));
  EXPECT_THAT(refusal([](SimulationSpec& spec) { spec.wormhole().pipeline.routing = ~0U; }),
              testing::HasSubstr("simulate.pipeline.routing"));
}

TEST(ZeroLoad, RefusesATerminalAndItself) {
  const Network built = network("mesh:radix=2x2");
  EXPECT_THROW((void)zero_load_latency(*built.relation, TerminalId(1), TerminalId(1), SimulationSpec{}),
               Error);
}

TEST(ZeroLoad, RefusesAPairThatIsNotConnected) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "ruft:k=2,n=2"));
  FaultSet faults(*topology);
  faults.fail(topology->injection(TerminalId(1))[0]);
  const Network built = network(topology, faults);
  EXPECT_THROW((void)zero_load_latency(*built.relation, TerminalId(1), TerminalId(0), SimulationSpec{}),
               Error);
}

}  // namespace
}  // namespace faultline
