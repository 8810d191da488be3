// SPDX-License-Identifier: Apache-2.0
// The attempt and stage rules of FT-DRB, a test for each sentence of the reading (PAPERS.md, section
// 2) and of paper 2, section 3.2.
#include "agent/link_fault_table.h"

#include <gtest/gtest.h>

#include <array>

namespace faultline {
namespace {

constexpr std::array<ChannelId, 3> first_path{ChannelId(1), ChannelId(2), ChannelId(3)};
constexpr std::array<ChannelId, 2> other_path{ChannelId(4), ChannelId(5)};

LinkFaultTable table() { return LinkFaultTable(LinkFaultTable::Rules{}); }

/// Refusals until the path is admitted.
std::uint32_t refusals(LinkFaultTable& faults, std::uint32_t most = 1000) {
  std::uint32_t count = 0;
  while (count < most && !faults.admits(first_path)) ++count;
  return count;
}

TEST(LinkFaultTable, APathWithoutEntriesIsFreeOfFaults) {
  LinkFaultTable faults = table();
  EXPECT_TRUE(faults.admits(first_path));
  faults.notify(ChannelId(4));
  EXPECT_TRUE(faults.admits(first_path));
  EXPECT_EQ(faults.entries()[0].attempt, 0U) << "a path that does not touch the channel is no attempt at it";
}

TEST(LinkFaultTable, ANewFaultMakesAnEntryOfTheFirstStageWithoutAttempts) {
  LinkFaultTable faults = table();
  faults.notify(ChannelId(2));
  ASSERT_EQ(faults.entries().size(), 1U);
  EXPECT_EQ(faults.entries()[0].channel, ChannelId(2));
  EXPECT_EQ(faults.entries()[0].stage, 1U);
  EXPECT_EQ(faults.entries()[0].attempt, 0U);
}

TEST(LinkFaultTable, APathIsChosenOnlyWhenTheAttemptsOfEveryEntryHaveReachedTen) {
  LinkFaultTable faults = table();
  faults.notify(ChannelId(2));
  EXPECT_EQ(refusals(faults), 10U);
  faults.notify(ChannelId(3));
  EXPECT_EQ(refusals(faults), 10U) << "the first entry is ripe, the second is not";
}

TEST(LinkFaultTable, OtherwiseTheAttemptsOfTheEntriesOnThePathAreIncreased) {
  LinkFaultTable faults = table();
  faults.notify(ChannelId(1));
  faults.notify(ChannelId(3));
  faults.notify(ChannelId(4));
  EXPECT_FALSE(faults.admits(first_path));
  EXPECT_EQ(faults.entries()[0].attempt, 1U);
  EXPECT_EQ(faults.entries()[1].attempt, 1U);
  EXPECT_EQ(faults.entries()[2].attempt, 0U) << "not on the path";
}

TEST(LinkFaultTable, ANewNotificationIncreasesTheStageAndRestartsTheAttempts) {
  LinkFaultTable faults = table();
  faults.notify(ChannelId(2));
  EXPECT_EQ(refusals(faults), 10U);
  faults.notify(ChannelId(2));
  ASSERT_EQ(faults.entries().size(), 1U);
  EXPECT_EQ(faults.entries()[0].stage, 2U);
  EXPECT_EQ(faults.entries()[0].attempt, 0U);
  EXPECT_EQ(refusals(faults), 10U);
}

TEST(LinkFaultTable, AFaultIsPermanentFromTheThirdStage) {
  LinkFaultTable faults = table();
  for (std::uint32_t stage = 1; stage <= 3; ++stage) {
    faults.notify(ChannelId(2));
    EXPECT_EQ(faults.is_permanent(faults.entries()[0]), stage == 3);
  }
}

TEST(LinkFaultTable, APathWithAPermanentFaultCannotBeUsed) {
  LinkFaultTable faults = table();
  for (int i = 0; i < 3; ++i) faults.notify(ChannelId(2));
  EXPECT_EQ(refusals(faults), 1000U);
}

TEST(LinkFaultTable, AnAcknowledgementDeletesTheEntriesOfItsPath) {
  LinkFaultTable faults = table();
  for (const std::uint32_t channel : {1U, 3U, 4U}) faults.notify(ChannelId(channel));
  EXPECT_TRUE(faults.touches(first_path));
  EXPECT_EQ(faults.clear(first_path), 2U);
  EXPECT_FALSE(faults.touches(first_path));
  EXPECT_TRUE(faults.touches(other_path));
  EXPECT_TRUE(faults.admits(first_path));
  faults.notify(ChannelId(1));
  EXPECT_EQ(faults.entries().back().stage, 1U) << "it is a new fault";
}

TEST(LinkFaultTable, ForgetsTheOldestBeyondItsSize) {
  LinkFaultTable faults({.max_entries = 2});
  for (const std::uint32_t channel : {1U, 2U, 3U}) faults.notify(ChannelId(channel));
  ASSERT_EQ(faults.entries().size(), 2U);
  EXPECT_EQ(faults.entries()[0].channel, ChannelId(2));
}

TEST(LinkFaultTable, MayTryAPermanentFaultAgain) {
  LinkFaultTable faults({.permanent_attempts = 40});
  for (int i = 0; i < 3; ++i) faults.notify(ChannelId(2));
  EXPECT_EQ(refusals(faults), 40U);
}

}  // namespace
}  // namespace faultline
