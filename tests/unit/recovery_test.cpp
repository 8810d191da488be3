// SPDX-License-Identifier: Apache-2.0
// When throughput counts as recovered after a failure: made-up series, whose answers are known.
#include "faultline/simulate/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "faultline/base/random.h"
#include "faultline/topology/kind.h"

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

TEST(Recovery, IsTheTimeToTheEndOfTheFirstBinAfterTheLastLowOne) {
  std::vector<ThroughputBin> bins = series(80);
  bins[40].accepted = 0.2;
  bins[42].accepted = 0.3;  // between two that are not low
  const std::vector<Recovery> found = recoveries(bins, down_at(4'000));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at, 4'000U);
  EXPECT_EQ(found[0].channels_down, 1U);
  EXPECT_THAT(found[0].before, Optional(testing::DoubleNear(0.5, 1e-9)));
  EXPECT_EQ(found[0].lowest, 0.2);
  EXPECT_THAT(found[0].back_after, Optional(400));
  // A failure within a bin: the time counts from the failure, the comparison without that bin.
  EXPECT_THAT(recoveries(bins, down_at(4'030)).at(0).back_after, Optional(370));
}

/// A repair within a bin whose throughput, delayed packets included, is as before.
TEST(Recovery, IsNotReportedBeforeTheRepair) {
  std::vector<ThroughputBin> bins = series(80);
  for (std::size_t i = 40; i < 46; ++i) bins[i].accepted = 0.2;
  const std::uint64_t repaired = 4'690;
  const Recovery found = recoveries(bins, down_at(4'000, repaired)).at(0);
  ASSERT_TRUE(found.back_after);
  EXPECT_GE(found.at + *found.back_after, repaired);
}

TEST(Recovery, TakesNoTimeWhereNothingIsLow) {
  EXPECT_THAT(recoveries(series(80), down_at(4'000)).at(0).back_after, Optional(0));
}

TEST(Recovery, IsOfWhatFailsDuringTheRun) {
  EXPECT_TRUE(recoveries(series(80), down_at(0)).empty());
  const std::vector<Recovery> later = recoveries(series(80), {{ChannelId(1), 0}, {ChannelId(3), 4'000}});
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later.front().at, 4'000U);
  EXPECT_EQ(later.front().channels_down, 2U);
}

/// Random outages, some of channels that are dead anyway, counted one by one.
TEST(Recovery, SaysHowManyChannelsAreDown) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=4x4"));
  FaultSet dead(*topology);
  for (const std::uint32_t channel : {2U, 5U, 70U}) dead.fail(ChannelId(channel));
  FaultSchedule outages;
  for (std::uint32_t channel = 0; channel < 40; ++channel) {
    const std::uint64_t from = mix(channel, 1, 1) % 60 * width, length = 1 + mix(channel, 1, 2) % 40;
    outages.push_back({ChannelId(channel), from, from + length * width});
    if (channel % 3 == 0) outages.push_back({ChannelId(channel), from + (length + 3) * width});
  }
  const std::vector<Recovery> found = recoveries(series(80), outages, dead);
  ASSERT_GT(found.size(), 20U);
  for (const Recovery& one : found) {
    std::size_t down = 3;
    for (const Outage& outage : outages)
      down += outage.from <= one.at && one.at < outage.until && !dead.failed(outage.channel) ? 1 : 0;
    EXPECT_EQ(one.channels_down, down) << one.at;
  }
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
  EXPECT_TRUE(recoveries(series(80), down_at(8'000)).empty());  // no bins are left
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
  EXPECT_THAT(found[0].back_after, Optional(700));  // past the repair in cycle 4500
  EXPECT_EQ(found[1].channels_down, 2U);
  EXPECT_THAT(found[1].back_after, Optional(300));
  EXPECT_EQ(found[1].lowest, 0.1);
  EXPECT_THAT(found[1].before, Optional(testing::DoubleNear(0.5 - 0.01 / 33, 1e-9)));  // bins 47 to 79
}

/// For ten bins nothing arrives, soon after the failure; then all that was generated meanwhile, half as much
/// again as is generated. A second failure, during that or later, is compared with what is generated.
TEST(Recovery, DoesNotTakeQueuesThatDrainForTheThroughputBefore) {
  for (const std::uint64_t second : {62U, 68U, 74U, 90U}) {
    std::vector<ThroughputBin> bins = series(140);
    for (std::size_t i = 40; i < 50; ++i) bins[i].accepted = 0;
    for (std::size_t i = 50; i < std::min<std::size_t>(70, second); ++i) bins[i].accepted += 0.25;
    const std::vector<Recovery> found =
        recoveries(bins, {{ChannelId(1), 3'800, 5'000}, {ChannelId(2), second * width, Outage::forever}});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_THAT(found[1].before, Optional(testing::DoubleNear(0.5, 0.005))) << second;
    EXPECT_THAT(found[1].back_after, Optional(0)) << second;
  }
}

/// Queues that the first failure fills drain from cycle 8,000 to 13,000, in spite of a second one without an
/// effect, so that a third one in the midst of that is not compared with it; one after it is as before all.
TEST(Recovery, QueuesDrainOnThroughLaterFailures) {
  std::vector<ThroughputBin> bins = series(200);
  for (std::size_t i = 40; i < 80; ++i) bins[i].accepted -= 0.125;
  for (std::size_t i = 80; i < 130; ++i) bins[i].accepted += 0.1;
  const std::vector<Recovery> found = recoveries(bins, {{ChannelId(1), 4'000, 8'000},
                                                        {ChannelId(2), 8'000, 8'100},
                                                        {ChannelId(2), 10'500, 10'600},
                                                        {ChannelId(2), 16'000, 16'100}});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].back_after, std::nullopt);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_LT(found[i].before.value_or(1), 0.51) << i;
    EXPECT_THAT(found[i].back_after, Optional(0)) << i;
  }
  EXPECT_THAT(found[3].before, Optional(testing::DoubleNear(0.5, 0.005)));
}

TEST(Recovery, OfFailuresInQuickSuccessionIsComparedWithTheTimeBeforeTheFirst) {
  std::vector<ThroughputBin> bins = series(80);
  for (std::size_t i = 42; i < 80; ++i) bins[i].accepted = 0;
  const FaultSchedule outages{{ChannelId(1), 4'000, Outage::forever},
                              {ChannelId(2), 4'100, Outage::forever},
                              {ChannelId(5), 4'200, Outage::forever}};
  const std::vector<Recovery> found = recoveries(bins, outages);
  ASSERT_EQ(found.size(), 3U);
  for (const Recovery& one : found) EXPECT_THAT(one.before, Optional(testing::DoubleNear(0.5, 1e-9)));
  EXPECT_THAT(found[0].back_after, Optional(0));
  EXPECT_EQ(found[2].back_after, std::nullopt);
}

/// A warm-up that was asked for is one long bin, and the last bin may be a cycle long: with nothing in it.
TEST(Recovery, LeavesOutBinsOfOtherLengths) {
  std::vector<ThroughputBin> bins = series(80);
  bins.front().from = 0;
  for (ThroughputBin& bin : bins) bin.from += 900, bin.until += 900;
  bins.insert(bins.begin(), {0, 900, 0.1});
  bins.push_back({bins.back().until, bins.back().until + 1, 0});
  const Recovery found = recoveries(bins, down_at(4'900)).at(0);
  EXPECT_THAT(found.back_after, Optional(0));
  EXPECT_THAT(found.before, Optional(testing::DoubleNear(0.5, 1e-9)));
}

/// It has no effect, but the throughput still rises: that is not what a later failure is compared with.
TEST(Recovery, OfAFailureInTheWarmUpDoesNotHideIt) {
  std::vector<ThroughputBin> bins = series(120);
  for (std::size_t i = 0; i < 20; ++i) bins[i].accepted = 0.02 * static_cast<double>(i);
  const std::vector<Recovery> found =
      recoveries(bins, {{ChannelId(1), 600, 700}, {ChannelId(2), 8'000, Outage::forever}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[1].before, Optional(testing::DoubleNear(0.5, 0.005)));
}

/// One independent normal value for each (seed, number), by Box and Muller.
double normal(std::uint64_t seed, std::uint64_t number) {
  const double u = unit_interval(mix(seed, number, 1)), v = unit_interval(mix(seed, number, 2));
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// Values to which nothing happened: chance alone must rarely be taken for a loss, however few there are to
/// compare with, at each of three failures. Two comparisons together may be wrong once in a hundred.
TEST(Recovery, ChanceIsSeldomTakenForALoss) {
  constexpr int series_count = 2'000;
  for (const std::uint64_t before : {4U, 5U, 8U, 20U, 60U}) {
    int taken_for_a_loss[3]{};
    for (std::uint64_t seed = 0; seed < series_count; ++seed) {
      std::vector<ThroughputBin> bins = series(3 * before + 60);
      for (std::uint64_t i = 0; i < bins.size(); ++i)
        bins[i].accepted = 0.5 + 0.02 * normal(seed + before, i);
      FaultSchedule outages;
      for (const std::uint64_t number : {1U, 2U, 3U})
        outages.push_back({ChannelId(number), number * before * width, Outage::forever});
      const std::vector<Recovery> found = recoveries(bins, outages);
      for (std::size_t i = 0; i < 3; ++i)
        taken_for_a_loss[i] +=
            found.at(i).before && found[i].back_after != std::optional<std::uint64_t>(0) ? 1 : 0;
    }
    for (const int taken : taken_for_a_loss) EXPECT_LT(taken, series_count * 25 / 1000) << before;
  }
}

/// Bins that depend on those before them, as near saturation: their mean scatters by three times what as many
/// independent bins would say.
TEST(Recovery, ALevelOfBinsThatDependOnEachOtherIsSeldomTakenForALowerOne) {
  constexpr int series_count = 500;
  int never_back = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    std::vector<ThroughputBin> bins = series(300);
    double deviation = 0;
    for (std::uint64_t i = 0; i < bins.size(); ++i) {
      deviation = 0.8 * deviation + 0.6 * normal(seed, i);
      bins[i].accepted = 0.5 + 0.02 * deviation;
    }
    const Recovery found = recoveries(bins, down_at(150 * width)).at(0);
    never_back += found.before && !found.back_after ? 1 : 0;
  }
  EXPECT_LT(never_back, series_count * 5 / 100);
}

/// A Poisson-distributed number of packets.
double packets_in_a_bin(double mean, std::uint64_t seed, std::uint64_t bin) {
  double packets = -1;
  for (double left = 1; left > std::exp(-mean); left *= unit_interval(mix(seed, bin, std::uint64_t(packets))))
    ++packets;
  return packets;
}

/// Packets of 0.05 that arrive at random, six a bin on average: a bin without any is no surprise, a gap is.
TEST(Recovery, FindsAGapOfManyBinsWithFewPacketsEach) {
  constexpr int series_count = 200;
  constexpr std::uint64_t failure = 100, gap = 20;
  int found = 0, false_alarms = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    std::vector<ThroughputBin> bins = series(300);
    for (std::uint64_t i = 0; i < bins.size(); ++i) bins[i].accepted = 0.05 * packets_in_a_bin(6, seed, i);
    const auto back = [&] { return recoveries(bins, down_at(failure * width)).at(0).back_after; };
    false_alarms += back() != std::optional<std::uint64_t>(0) ? 1 : 0;
    for (std::uint64_t i = failure; i < failure + gap; ++i) bins[i].accepted = 0;
    found += back() && *back() >= gap * width && *back() <= (gap + 2 * 16) * width ? 1 : 0;
  }
  EXPECT_GT(found, series_count * 95 / 100);
  EXPECT_LT(false_alarms, series_count * 4 / 100);
}

/// For nine bins none of 4.5 packets a bin arrives, and then those that waited: the gap begins between the
/// means of 2, 4 and 8 bins that are counted from the failure, in whose bin the throughput is still normal.
TEST(Recovery, FindsAGapWhereverItBegins) {
  constexpr int series_count = 300;
  constexpr std::uint64_t failure = 47, gap = 9;
  int found = 0, missed = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    std::vector<ThroughputBin> bins = series(127);
    for (std::uint64_t i = 0; i < bins.size(); ++i) bins[i].accepted = 0.05 * packets_in_a_bin(4.5, seed, i);
    bins[failure].accepted = 0.4;
    for (std::uint64_t i = failure + 1; i <= failure + gap; ++i) bins[i].accepted = 0;
    for (std::uint64_t i = failure + gap + 1; i < failure + gap + 4; ++i) bins[i].accepted = 0.8;
    const auto back = recoveries(bins, down_at(failure * width + 40)).at(0).back_after;
    missed += back == std::optional<std::uint64_t>(0) ? 1 : 0;
    found += back && *back >= gap * width && *back <= (gap + 2 * 8) * width ? 1 : 0;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_GT(found, series_count * 90 / 100) << "others: bins scatter too much";
}

/// Half of the packets of 0.02 are lost for forty bins. One bin of them alone is low; that the others are,
/// only several together show.
TEST(Recovery, FindsTheEndOfADropThatAFewBinsAloneShow) {
  constexpr int series_count = 200;
  constexpr std::uint64_t failure = 100, drop = 40;
  int found = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    std::vector<ThroughputBin> bins = series(300);
    for (std::uint64_t i = 0; i < bins.size(); ++i)
      bins[i].accepted = 0.02 * packets_in_a_bin(i >= failure && i < failure + drop ? 10 : 20, seed, i);
    bins[failure + seed % 4].accepted = 0;
    const auto back = recoveries(bins, down_at(failure * width)).at(0).back_after;
    found += back && *back >= (drop - 8) * width && *back <= (drop + 2 * 8) * width ? 1 : 0;
  }
  EXPECT_GT(found, series_count * 95 / 100);
}

/// Of about 60 packets a bin, a third waits from bin `failure` on, for `drop` bins; then up to 40 more pass
/// in each bin until none waits.
std::vector<ThroughputBin> held_up(std::uint64_t seed, std::uint64_t failure, std::uint64_t drop) {
  std::vector<ThroughputBin> bins = series(128);
  double waiting = 0;
  for (std::uint64_t i = 0; i < bins.size(); ++i) {
    const double come = packets_in_a_bin(60, seed, i);
    const bool is_down = i >= failure && i < failure + drop;
    const double through = is_down ? std::round(come * 2 / 3) : come + std::min(waiting, 40.0);
    waiting += come - through;
    bins[i].accepted = 0.005 * through;
  }
  return bins;
}

/// Hardly any bin of the drop is low for itself, and the last ones least: it must not be over before them.
TEST(Recovery, IsSeldomOverTooEarly) {
  constexpr int series_count = 400;
  constexpr std::uint64_t failure = 32;
  int early = 0, late = 0, missed = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    const std::uint64_t drop = 8 + seed % 20;
    const auto back = recoveries(held_up(seed, failure, drop), down_at(failure * width)).at(0).back_after;
    missed += back == std::optional<std::uint64_t>(0) ? 1 : 0;
    early += back && *back != 0 && *back < drop * width ? 1 : 0;
    late += !back || *back > (drop + 5) * width ? 1 : 0;
  }
  EXPECT_LT(missed, series_count * 2 / 100);
  EXPECT_LT(early, series_count * 5 / 100);
  EXPECT_LT(late, series_count * 5 / 100);
}

/// After twelve bins, from which little is known of their scatter, a long drop.
TEST(Recovery, FindsALongDropAfterAShortTime) {
  constexpr int series_count = 200;
  constexpr std::uint64_t failure = 12, drop = 55;
  int found = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    const auto back = recoveries(held_up(seed, failure, drop), down_at(failure * width)).at(0).back_after;
    found += back && *back >= drop * width && *back <= (drop + 5) * width ? 1 : 0;
  }
  EXPECT_GT(found, series_count * 90 / 100);
}

/// Four times nothing arrives for twelve bins, and then twice as much until what has waited is through: what
/// drains must not be taken for the throughput before the next failure, nor hide its loss.
TEST(Recovery, IsComparedWithWhatIsNormalAfterQueuesHaveDrained) {
  constexpr int series_count = 150;
  constexpr double normal = 0.02 * 6;
  int missed = 0;
  double sum = 0, count = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    std::vector<ThroughputBin> bins = series(320);
    FaultSchedule outages;
    double waiting = 0;
    for (std::uint64_t i = 0; i < bins.size(); ++i) {
      const bool is_down = i >= 60 && (i - 60) % 60 < 12 && i < 300;
      waiting += packets_in_a_bin(6, seed, i);
      const double through = is_down ? 0 : std::min(waiting, 12.0);
      waiting -= through;
      bins[i].accepted = 0.02 * through;
      if (is_down && (i - 60) % 60 == 0) outages.push_back({ChannelId(1), i * width, (i + 12) * width});
    }
    for (const Recovery& found : recoveries(bins, outages)) {
      missed += found.back_after == std::optional<std::uint64_t>(0) ? 1 : 0;
      if (!found.before || found.at == 60 * width) continue;
      sum += *found.before;
      ++count;
    }
  }
  EXPECT_LT(missed, series_count * 4 / 100);
  EXPECT_NEAR(sum / count / normal, 1, 0.02);
  EXPECT_GT(count, 3 * series_count * 95 / 100);
}

/// Too few bins follow the last low mean for another one.
TEST(Recovery, IsNotKnownOfASilenceThatLastsToTheEnd) {
  int silences = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<ThroughputBin> bins = series(203);
    for (std::uint64_t i = 0; i < bins.size(); ++i)
      bins[i].accepted = i < 192 ? 0.05 * packets_in_a_bin(4, seed, i) : 0;
    const Recovery found = recoveries(bins, down_at(96 * width)).at(0);
    silences += found.before && !found.back_after ? 1 : 0;
    EXPECT_LT(found.back_after.value_or(0), 96 * width) << seed;
  }
  EXPECT_GT(silences, 30);
}

/// So few bins lie between two failures that their scatter alone would explain two bins without any packet.
TEST(Recovery, FindsATotalLossSoonAfterAnotherFailure) {
  constexpr int series_count = 300;
  constexpr std::uint64_t first = 60, second = first + 12;
  int found = 0, false_alarms = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    std::vector<ThroughputBin> bins = series(120);
    for (std::uint64_t i = 0; i < bins.size(); ++i) bins[i].accepted = 0.02 * packets_in_a_bin(20, seed, i);
    const auto back = [&] {
      return recoveries(bins, {{ChannelId(1), first * width}, {ChannelId(2), second * width}})
          .at(1)
          .back_after;
    };
    false_alarms += back() != std::optional<std::uint64_t>(0) ? 1 : 0;
    for (std::uint64_t i = second; i < second + 3; ++i) bins[i].accepted = 0;
    found += back() && *back() >= 3 * width && *back() <= 8 * width ? 1 : 0;
  }
  EXPECT_GT(found, series_count * 95 / 100);
  EXPECT_LT(false_alarms, series_count * 4 / 100);
}

/// Without any scatter every drop counts, also where failures leave but a few bins between them.
TEST(Recovery, FindsADropOfAConstantThroughput) {
  std::vector<ThroughputBin> bins = series(60);
  for (ThroughputBin& bin : bins) bin.accepted = 0.5;
  bins[25].accepted = 0;
  const std::vector<Recovery> found = recoveries(bins, {{ChannelId(1), 5 * width},
                                                        {ChannelId(2), 10 * width},
                                                        {ChannelId(3), 15 * width},
                                                        {ChannelId(4), 20 * width}});
  EXPECT_THAT(found.at(2).back_after, Optional(0));
  EXPECT_THAT(found.at(3).back_after, Optional(7 * width));
}

/// Four bins that scatter as much as they hold tell nothing.
TEST(Recovery, IsNotKnownWhereNotEvenATotalLossWouldStandOut) {
  std::vector<ThroughputBin> bins = series(20);
  for (std::uint64_t i = 0; i < bins.size(); ++i) bins[i].accepted = i % 2 == 0 ? 0.9 : 0.1;
  const Recovery found = recoveries(bins, down_at(4 * width)).at(0);
  EXPECT_EQ(found.before, std::nullopt);
  EXPECT_EQ(found.back_after, std::nullopt);
}

/// A drop of ten times the scatter is detected, and its end is exact to one bin.
TEST(Recovery, FindsTheEndOfADrop) {
  constexpr int series_count = 500;
  int found = 0;
  for (std::uint64_t seed = 0; seed < series_count; ++seed) {
    const std::uint64_t low = seed % 20;
    std::vector<ThroughputBin> bins = series(120);
    for (std::uint64_t i = 0; i < bins.size(); ++i)
      bins[i].accepted = 0.5 + 0.02 * normal(seed, i) - (i >= 60 && i < 60 + low ? 0.2 : 0);
    const std::uint64_t back = low == 0 ? 0 : (low + 1) * width;
    found += recoveries(bins, down_at(6'000)).at(0).back_after == std::optional(back) ? 1 : 0;
  }
  EXPECT_GT(found, series_count * 96 / 100);
}

}  // namespace
}  // namespace faultline
