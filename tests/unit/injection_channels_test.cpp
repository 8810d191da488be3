// SPDX-License-Identifier: Apache-2.0
// Terminals with several injection channels, of which some fail for good: which packets are dropped, and
// when.
#include <gtest/gtest.h>

#include <map>

#include "faultline/topology/builder.h"
#include "simulate/cut_through/model.h"
#include "simulate/planes/engine.h"
#include "support/listed_packets.h"
#include "support/tiny_relation.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using namespace testing_support;

/// Terminal 0 at switches a and b, each of which has one more terminal: 1 at a, 2 at b. Terminal 0 reaches
/// each of them from its own switch only.
class TwoWaysOut : public testing::Test {
 protected:
  TwoWaysOut() {
    TopologyBuilder builder;
    const SwitchId a = builder.add_switch({0, 0}), b = builder.add_switch({0, 1});
    builder.connect_both({a, 0}, {b, 0});
    const TerminalId both = builder.add_terminal();
    builder.connect_injection(both, {a, 1});
    builder.connect_injection(both, {b, 1});
    builder.connect_ejection({a, 1}, both);
    for (const SwitchId at : {a, b}) builder.attach(builder.add_terminal(), {at, 2});
    const auto topology = std::make_shared<const Topology>(std::move(builder).build("two", "none"));
    auto relation = std::make_shared<TinyRelation>(topology, TinyRelation::Shape{});
    for (const std::uint32_t other : {1U, 2U}) {
      relation->injections[{0, other}] = {{.channel = topology->injection(both)[other - 1]}};
      for (const SwitchId at : {a, b})
        for (const ChannelId out : topology->outputs(at)) {
          const bool ends = topology->role(out) == ChannelRole::ejection;
          if (ends ? topology->terminal(out) == TerminalId(other)
                   : topology->target(out) == SwitchId(other - 1))
            relation->routes[{other, at.value(), 0, 0}] = {{.channel = out}};
        }
    }
    relation_ = relation;
  }

  /// To terminals 1 and 2, one after the other, with ten cycles between packets of four flits.
  [[nodiscard]] std::vector<ListedPacket> in_turn(std::uint32_t count) const {
    std::vector<ListedPacket> packets;
    for (std::uint32_t i = 0; i < count; ++i)
      packets.push_back({TerminalId(0), {10 * i, TerminalId(1 + i % 2), 4}});
    return packets;
  }

  void expect(const SimulationResult& result, std::uint64_t delivered, std::uint64_t unreachable) const {
    EXPECT_EQ(result.delivered, delivered);
    EXPECT_EQ(result.in_flight, 0U);
    const std::map<std::string, std::uint64_t> dropped{{"unreachable", unreachable}};
    EXPECT_EQ(result.dropped, unreachable == 0 ? decltype(dropped){} : dropped);
  }

  void expect_of_all_engines(const ListedPackets& packets, SimulationSpec spec, std::uint64_t delivered,
                             std::uint64_t unreachable) const {
    spec.switches = CutThroughSwitches{};
    SimulationSpec known = resolved(spec, packets);
    expect(cut_through::run_cycle_driven(*relation_, packets, known).result, delivered, unreachable);
    expect(cut_through::run_event_driven(*relation_, packets, known).result, delivered, unreachable);
    spec.switches = WormholeSwitches{};
    known = resolved(spec, packets);
    expect(wormhole::run_scalar(*relation_, packets, known).result, delivered, unreachable);
    ASSERT_FALSE(wormhole::planes::obstacle(*relation_, known));
    for (const wormhole::planes::Kernel* kernel : wormhole::planes::kernels())
      expect(wormhole::planes::run(*kernel, *relation_, packets, known).result, delivered, unreachable);
  }

  std::shared_ptr<const TinyRelation> relation_;
};

TEST_F(TwoWaysOut, APacketWithoutALivingOneIsDroppedAndTheNextOnesAreSent) {
  const ListedPackets packets(relation_->topology(), in_turn(100));
  SimulationSpec spec;
  spec.faults.outages = {{relation_->topology().injection(TerminalId(0))[0], 505, Outage::forever}};
  // To terminal 1: those of cycles 0, 20, …, 500.
  expect_of_all_engines(packets, spec, 26 + 50, 24);
  spec.faults.outages.front().until = 2'000;
  expect_of_all_engines(packets, spec, 100, 0);
}

TEST_F(TwoWaysOut, APacketInTheQueueIsDroppedOnlyIfNoRelationFollows) {
  const ListedPackets packets(relation_->topology(), in_turn(100));
  SimulationSpec spec;
  spec.faults.outages = {{relation_->topology().injection(TerminalId(0))[0], 505, Outage::forever}};
  spec.measurement.cycles = 3'000;
  spec.faults.reroutings = {{700, relation_}};
  expect_of_all_engines(packets, spec, 26 + 50, 24);
  const auto changed = std::make_shared<TinyRelation>(relation_->shared_topology(), TinyRelation::Shape{});
  changed->injections = relation_->injections;
  changed->routes = relation_->routes;
  changed->injections[{0, 1}] = changed->injections[{0, 2}];
  spec.faults.reroutings = {{700, changed}};
  expect_of_all_engines(packets, spec, 100, 0);
}

TEST_F(TwoWaysOut, WithoutBothOfThemNothingIsSent) {
  const ListedPackets packets(relation_->topology(), in_turn(100));
  SimulationSpec spec;
  const auto channels = relation_->topology().injection(TerminalId(0));
  spec.faults.outages = {{channels[0], 505, Outage::forever}, {channels[1], 705, Outage::forever}};
  // To terminal 2: those of cycles 10, 30, …, 690.
  expect_of_all_engines(packets, spec, 26 + 35, 24 + 15);
}

}  // namespace
}  // namespace faultline
