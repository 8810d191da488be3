// SPDX-License-Identifier: Apache-2.0
// When throughput counts as back after a failure: made-up series, whose answers are known.
#include "faultline/simulate/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "faultline/base/random.h"

namespace faultline {
namespace {

using testing::Optional;

constexpr std::uint64_t width = 100;

/// 0.5 with a ripple of 0.01.
std::vector<ThroughputBin> series(std::size_t bins) {
  std::vector<ThroughputBin> made;
  for (std::uint64_t i = 0; i < bins; ++i)
    made.push_back({i * width, (i + 1) * width, 0.5 + (i % 2 == 0 ? 0.01 : -0.01)});
  return made;
}

FaultSchedule down_at(std::uint64_t cycle, std::uint64_t until = Outage::forever) {
  return {{ChannelId(3), cycle, until}};
}

TEST(Recovery, IsTheTimeToTheEndOfTheLastLowBin) {
  std::vector<ThroughputBin> bins = series(80);
  bins[40].accepted = 0.2;
  bins[42].accepted = 0.3;  // between two that are not low
  const std::vector<Recovery> found = recoveries(bins, down_at(4'000));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at, 4'000U);
  EXPECT_EQ(found[0].channels_down, 1U);
  EXPECT_THAT(found[0].before, Optional(testing::DoubleNear(0.5, 1e-9)));
  EXPECT_EQ(found[0].lowest, 0.2);
  EXPECT_THAT(found[0].back_after, Optional(300));
  // A failure within a bin: the time counts from the failure, the comparison without that bin.
  EXPECT_THAT(recoveries(bins, down_at(4'030)).at(0).back_after, Optional(270));
}

TEST(Recovery, TakesNoTimeWhereNothingIsLow) {
  EXPECT_THAT(recoveries(series(80), down_at(4'000)).at(0).back_after, Optional(0));
}

TEST(Recovery, DoesNotComeBackToALowerLevel) {
  std::vector<ThroughputBin> bins = series(80);
  for (std::size_t i = 40; i < 80; ++i) bins[i].accepted -= 0.02;  // no bin is low by itself
  const Recovery found = recoveries(bins, down_at(4'000)).at(0);
  EXPECT_EQ(found.back_after, std::nullopt);
  EXPECT_NEAR(found.after, 0.48, 1e-9);
  bins = series(80);
  bins[79].accepted = 0.1;  // low when the run ends
  EXPECT_EQ(recoveries(bins, down_at(4'000)).at(0).back_after, std::nullopt);
}

TEST(Recovery, IsNotKnownWithoutATimeBefore) {
  EXPECT_EQ(recoveries(series(80), down_at(300)).at(0).before, std::nullopt);
  std::vector<ThroughputBin> silent = series(80);
  for (ThroughputBin& bin : silent) bin.accepted = 0;
  EXPECT_EQ(recoveries(silent, down_at(4'000)).at(0).before, std::nullopt);
  EXPECT_TRUE(recoveries(series(80), down_at(8'000)).empty());  // nothing is left to look at
  EXPECT_TRUE(recoveries({}, down_at(10)).empty());
}

TEST(Recovery, OfEachFailureGoesOnUntilTheNextOneThroughRepairs) {
  std::vector<ThroughputBin> bins = series(120);
  for (std::size_t i = 40; i < 46; ++i) bins[i].accepted = 0.2;
  for (std::size_t i = 80; i < 82; ++i) bins[i].accepted = 0.1;
  const FaultSchedule outages{{ChannelId(1), 4'000, 4'500},
                              {ChannelId(2), 4'000, Outage::forever},
                              {ChannelId(5), 8'000, Outage::forever}};
  const std::vector<Recovery> found = recoveries(bins, outages);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].channels_down, 2U);
  EXPECT_THAT(found[0].back_after, Optional(600));  // past the repair in cycle 4500
  EXPECT_EQ(found[1].channels_down, 2U);
  EXPECT_THAT(found[1].back_after, Optional(200));
  EXPECT_EQ(found[1].lowest, 0.1);
  EXPECT_THAT(found[1].before, Optional(testing::DoubleNear(0.5, 1e-9)));  // the low bins are its warm-up
}

/// Independent normal values (Box and Muller) of which nothing happened to: chance alone must seldom be taken
/// for a loss.
TEST(Recovery, ChanceIsSeldomTakenForALoss) {
  constexpr int series_count = 2'000;
  int taken_for_low = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    std::vector<ThroughputBin> bins = series(120);
    for (std::uint64_t i = 0; i < bins.size(); ++i) {
      const double u = (static_cast<double>(mix(seed, i, 1) >> 11) + 1) / 9007199254740993.0;
      const double v = static_cast<double>(mix(seed, i, 2) >> 11) / 9007199254740992.0;
      bins[i].accepted = 0.5 + 0.05 * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    }
    const Recovery found = recoveries(bins, down_at(6'000)).at(0);
    taken_for_low += found.back_after != std::optional<std::uint64_t>(0) ? 1 : 0;
  }
  // 60 values below four deviations (as estimated from at least 30), and a mean of 30 below four standard
  // errors: together less than once in a hundred.
  EXPECT_LT(taken_for_low, series_count / 50);
}

}  // namespace
}  // namespace faultline
