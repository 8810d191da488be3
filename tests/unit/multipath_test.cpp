// SPDX-License-Identifier: Apache-2.0
// How packets are divided among the paths of a pair, and when paths are opened and closed.
#include "agent/multipath.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "faultline/base/random.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

constexpr auto usable = [](const Multipath::Path&) { return true; };

class MultipathOfThree : public testing::Test {
 protected:
  MultipathOfThree() {
    const AgentContext context{
        .relation = *built_.relation, .source = TerminalId(0), .packet_flits = 10, .switch_cycles = 5};
    const std::array<RouteOption, 3> ways{RouteOption{.tag = 7, .cost = 5}, RouteOption{.tag = 8, .cost = 5},
                                          RouteOption{.tag = 9, .cost = 8}};
    pair_.know(ways, TerminalId(3), context);
    pair_.know(ways, TerminalId(3), context);
  }
  void set(std::size_t path, std::uint32_t latency) { pair_.paths()[path].latency = latency; }

  testing_support::Network built_ = testing_support::network("mesh:radix=2x2", "dimension-order");
  Multipath pair_;
};

TEST_F(MultipathOfThree, KnowsEachWayOnce) {
  ASSERT_EQ(pair_.paths().size(), 3U);
  EXPECT_EQ(pair_.find({ChannelId(), 9}), 2U);
  EXPECT_EQ(pair_.find({ChannelId(), 4}), std::nullopt);
  // Five channels of one cycle, four switches of five cycles, ten flits.
  EXPECT_EQ(pair_.paths()[0].latency, 35U);
  EXPECT_EQ(pair_.open(), 1U);
}

/// Path i of a multipath is chosen with probability (1 / L_i) / sum_j (1 / L_j).
TEST_F(MultipathOfThree, DividesPacketsByLatency) {
  set(0, 100);
  set(1, 50);
  set(2, 25);
  const std::array<std::size_t, 3> all{0, 1, 2};
  std::array<double, 3> drawn{};
  constexpr std::uint32_t draws = 70'000;
  for (std::uint32_t i = 0; i < draws; ++i) ++drawn[pair_.draw(all, mix(i))];
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(drawn[i], draws / 7.0 * (1U << i), 4 * std::sqrt(draws / 4.0)) << i;
}

TEST_F(MultipathOfThree, DrawsAmongTheGivenPathsAlone) {
  const std::array<std::size_t, 2> two{0, 2};
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_NE(pair_.draw(two, i), 1U);
}

/// The multipath opens one more path when its joint latency is above the upper threshold.
TEST_F(MultipathOfThree, OpensOneMoreAboveTheUpperThreshold) {
  const Multipath::Rules rules{.max_open = 3, .upper = 2, .lower = 0.5};
  set(0, 70);
  pair_.configure(rules, 0, usable);
  EXPECT_EQ(pair_.open(), 1U) << "not above it";
  set(0, 71);
  pair_.configure(rules, 0, usable);
  EXPECT_EQ(pair_.open(), 2U);
  set(1, 71);  // jointly 35.5
  pair_.configure(rules, 0, usable);
  EXPECT_EQ(pair_.open(), 2U);
}

TEST_F(MultipathOfThree, ClosesOneBelowTheLowerThreshold) {
  const Multipath::Rules rules{.max_open = 3, .upper = 2, .lower = 0.5};
  ASSERT_TRUE(pair_.widen(rules, 0));
  set(0, 35);
  set(1, 35);  // jointly 17.5, half of 35
  pair_.configure(rules, 0, usable);
  EXPECT_EQ(pair_.open(), 2U) << "not below it";
  set(1, 34);
  pair_.configure(rules, 0, usable);
  EXPECT_EQ(pair_.open(), 1U);
  set(0, 1);
  pair_.configure(rules, 0, usable);
  EXPECT_EQ(pair_.open(), 1U) << "one stays open";
}

TEST_F(MultipathOfThree, WidensUpToItsLimitAndItsPaths) {
  EXPECT_FALSE(pair_.widen({.max_open = 1}, 0));
  for (std::uint32_t i = 2; i <= 3; ++i) EXPECT_TRUE(pair_.widen({.max_open = 9}, 0));
  EXPECT_FALSE(pair_.widen({.max_open = 9}, 0));
  EXPECT_EQ(pair_.max_ever_open(), 3U);
}

/// Paths that are dead for good do not keep others from being opened.
TEST_F(MultipathOfThree, IsExpandedByAsManyPathsAsAreRuledOut) {
  const Multipath::Rules rules{.max_open = 1};
  EXPECT_FALSE(pair_.widen(rules, 0));
  EXPECT_TRUE(pair_.widen(rules, 1));
  EXPECT_FALSE(pair_.widen(rules, 1));
  EXPECT_TRUE(pair_.widen(rules, 2));
  EXPECT_EQ(pair_.open(), 3U);
  EXPECT_EQ(pair_.max_ever_open(), 1U) << "of those that can be used";
}

TEST_F(MultipathOfThree, ClosesWhatIsTooManyWhenDeadPathsComeBack) {
  const Multipath::Rules rules{.max_open = 1};
  ASSERT_TRUE(pair_.widen(rules, 1));
  ASSERT_TRUE(pair_.widen(rules, 2));
  pair_.keep_within(rules, [] { return std::size_t{2}; });
  EXPECT_EQ(pair_.open(), 3U);
  pair_.keep_within(rules, [] { return std::size_t{0}; });
  EXPECT_EQ(pair_.open(), 1U);
}

/// A path that is not used because it is refused says nothing about the load.
TEST_F(MultipathOfThree, PathsThatCannotBeUsedDoNotCount) {
  const Multipath::Rules rules{.max_open = 3, .upper = 2, .lower = 0.55};
  ASSERT_TRUE(pair_.widen(rules, 0));
  set(0, 35);
  set(1, 36);
  pair_.configure(rules, 0, [&](const Multipath::Path& path) { return path.way.tag != 7; });
  EXPECT_EQ(pair_.open(), 2U);
}

}  // namespace
}  // namespace faultline
