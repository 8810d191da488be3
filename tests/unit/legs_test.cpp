// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/legs.h"

#include <gtest/gtest.h>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"

namespace faultline {
namespace {

TopologyPtr line() { return build_topology(parse_compact("topology", "mesh:radix=4")); }

RelationPtr relation_of(const TopologyPtr& topology, const std::string& routing) {
  return build_healthy_relation(topology, parse_compact("routing", routing));
}

/// Along the switches of a line: the channels between them, with injection and ejection at its ends.
std::vector<ChannelId> along(const Topology& topology, const std::vector<std::uint32_t>& switches) {
  std::vector<ChannelId> channels;
  for (std::size_t i = 0; i + 1 < switches.size(); ++i)
    for (const ChannelId channel : topology.outputs(SwitchId(switches[i])))
      if (topology.role(channel) == ChannelRole::network &&
          topology.target(channel) == SwitchId(switches[i + 1]))
        channels.push_back(channel);
  return channels;
}

/// Goes right to the last switch. Its first switch names switch 2, which packets pass on their way; with
/// `circles` they go to and fro between switches 0 and 1.
class RightByTwo final : public RoutingRelation {
 public:
  RightByTwo(TopologyPtr topology, bool circles) : RoutingRelation(std::move(topology)), circles_(circles) {}
  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint32_t at = state.at.value();
    if (at == 3) return options.push_back({.channel = topology().ejection(state.destination).front()});
    const std::uint32_t next = circles_ && at == 1 ? 0 : at + 1;
    options.push_back({.channel = along(topology(), {at, next}).front(), .tag = at < 2 ? 1U : 0U});
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return 2; }
  [[nodiscard]] SwitchId intermediate(Tag tag) const override { return tag == 1 ? SwitchId(2) : SwitchId(); }

 private:
  bool circles_;
};

TEST(Legs, WithoutAnIntermediateSwitchThereIsOne) {
  const TopologyPtr topology = line();
  const auto legs =
      legs_of(*relation_of(topology, "dimension-order"), TerminalId(3), TerminalId(1), FaultSet(*topology));
  ASSERT_EQ(legs.size(), 1U);
  EXPECT_FALSE(legs.front().to.valid());
  EXPECT_FALSE(legs.front().may_choose);
  std::vector<ChannelId> path{topology->injection(TerminalId(3)).front()};
  for (const ChannelId hop : along(*topology, {3, 2, 1})) path.push_back(hop);
  path.push_back(topology->ejection(TerminalId(1)).front());
  EXPECT_EQ(legs.front().channels, path);
}

TEST(Legs, InjectionBelongsToTheFirstLegWhoeverChoosesTheIntermediateSwitch) {
  const TopologyPtr topology = line();
  const FaultSet none(*topology);
  // Valiant's source offers every switch, its own first.
  const auto valiant = legs_of(*relation_of(topology, "valiant"), TerminalId(0), TerminalId(3), none);
  ASSERT_EQ(valiant.size(), 2U);
  EXPECT_EQ(valiant[0].to, SwitchId(0));
  EXPECT_EQ(valiant[0].channels, std::vector{topology->injection(TerminalId(0)).front()});
  EXPECT_FALSE(valiant[1].to.valid());
  EXPECT_EQ(valiant[1].channels.size(), 4U);

  const auto named = legs_of(RightByTwo(topology, false), TerminalId(0), TerminalId(3), none);
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[0].to, SwitchId(2));
  EXPECT_EQ(named[0].channels.front(), topology->injection(TerminalId(0)).front());
  EXPECT_EQ(topology->target(named[0].channels.back()), SwitchId(2));
  EXPECT_FALSE(named[1].to.valid());
  EXPECT_EQ(topology->terminal(named[1].channels.back()), TerminalId(3));
}

TEST(Legs, EndWhereAPacketIsLostOrStuckOrComesAgain) {
  const TopologyPtr topology = line();
  FaultSet dead(*topology);
  const ChannelId broken = along(*topology, {1, 2}).front();
  dead.fail(broken);
  const RelationPtr healthy = relation_of(topology, "dimension-order");
  const auto end = [&](Knowledge knowledge) {
    const auto legs =
        legs_of(*admissible_relation(healthy, {dead, knowledge}), TerminalId(0), TerminalId(3), dead);
    return legs.empty() ? ChannelId() : legs.back().channels.back();
  };
  EXPECT_EQ(end(Knowledge::none()), broken);
  EXPECT_EQ(end(Knowledge::neighbours()), along(*topology, {0, 1}).front());
  EXPECT_FALSE(end(Knowledge::all()).valid());

  const auto endless = legs_of(RightByTwo(topology, true), TerminalId(0), TerminalId(3), FaultSet(*topology));
  ASSERT_EQ(endless.size(), 1U);
  EXPECT_EQ(endless.front().channels.size(), 4U);  // in, right, back, right: switch 1 comes again
}

TEST(Legs, SayWhereSwitchesMayChoose) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=4x4"));
  const auto relation = relation_of(topology, "minimal-adaptive");
  const auto may_choose = [&](std::size_t to) {
    return legs_of(*relation, TerminalId(0), TerminalId(to), FaultSet(*topology)).front().may_choose;
  };
  EXPECT_TRUE(may_choose(5));
  EXPECT_FALSE(may_choose(3));
}

}  // namespace
}  // namespace faultline
