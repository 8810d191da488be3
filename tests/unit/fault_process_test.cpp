// SPDX-License-Identifier: Apache-2.0
// Random dynamic faults: how many, for how long, how close together, against closed forms; and that what is
// written is what is read.
#include "faultline/fault/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <map>
#include <set>

#include "faultline/topology/kind.h"
#include "support/effort.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

const TopologyPtr& torus() {
  static const TopologyPtr built = build_topology(parse_compact("topology", "torus:radix=8x8"));
  return built;
}

constexpr double links_of_the_torus = 128;

FaultHistory drawn(std::string_view process, std::uint64_t end = 1'000'000, std::uint64_t seed = 1,
                   const TopologyPtr& topology = torus()) {
  return draw_faults(topology, end, seed, parse_compact("fault-process", process));
}

/// For how long each component was down, failure by failure; those that are down at the end count up to it.
std::map<std::uint32_t, std::vector<std::uint64_t>> times_down(const FaultHistory& history,
                                                               std::uint64_t end) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> times;
  std::map<std::uint32_t, std::uint64_t> since;
  std::uint64_t before = 0;
  for (const auto& [cycle, up, component] : history.events) {
    EXPECT_LE(before, cycle);
    if (!up) {
      EXPECT_LT(cycle, end);
    }
    EXPECT_EQ(since.contains(component), up) << "down while down, or up while up";
    before = cycle;
    if (up) {
      times[component].push_back(cycle - since.at(component));
      since.erase(component);
    } else {
      since[component] = cycle;
    }
  }
  for (const auto& [component, cycle] : since) times[component].push_back(end - cycle);
  return times;
}

TEST(FaultProcess, PermanentFailuresAreAsManyAsARateGives) {
  // The share of components that have failed by the end is 1 - exp(-rate * cycles).
  constexpr double rate = 1e-6;
  const std::uint64_t seeds = effort(200U, 20U);
  double failed = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const FaultHistory history = drawn("permanent:rate=1e-6", 1'000'000, seed);
    failed += static_cast<double>(times_down(history, 1'000'000).size());
    for (const ComponentEvent& event : history.events) EXPECT_FALSE(event.up);
  }
  const double share = 1 - std::exp(-rate * 1e6), count = links_of_the_torus * static_cast<double>(seeds);
  EXPECT_NEAR(failed / count, share, 5 * std::sqrt(share * (1 - share) / count));
}

TEST(FaultProcess, TransientFailuresAreAsManyAsAreAskedForHoweverLongRepairsTake) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const char* process : {"transient:faults=100,repair=200000", "transient:faults=100,repair=10",
                                "transient:faults=60,repair=1e9,repair_times=constant"}) {
      const FaultHistory history = drawn(process, 1'000'000, seed);
      std::size_t failures = 0;
      for (const auto& [component, times] : times_down(history, 1'000'000)) failures += times.size();
      EXPECT_EQ(failures, std::string_view(process).find("=60") != std::string_view::npos ? 60U : 100U)
          << process << ", seed " << seed;
    }
}

TEST(FaultProcess, PermanentFailuresMayBeCounted) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FaultHistory history = drawn("permanent:faults=40,from=5000,unit=link", 10'000, seed);
    EXPECT_EQ(times_down(history, 10'000).size(), 40U);
    EXPECT_GE(history.events.front().cycle, 5'000U);
  }
  EXPECT_EQ(drawn("permanent:faults=128", 10'000).events.size(), 128U);
}

TEST(FaultProcess, TransientFailuresKeepTheShareOfTimeDownOfTheirRates) {
  // A component alternates between up (mean 1/rate) and down (mean repair).
  constexpr double rate = 1e-4, repair = 2'000;
  constexpr std::uint64_t end = 2'000'000;
  for (const char* process :
       {"transient:rate=1e-4,repair=2000", "transient:rate=1e-4,repair=2000,repair_times=constant",
        "transient:rate=1e-4,repair=2000,together=4"}) {
    double down = 0, failures = 0, squares = 0;
    const auto times = times_down(drawn(process, end), end);
    for (const auto& [component, cycles] : times)
      for (const std::uint64_t length : cycles) {
        down += static_cast<double>(length);
        squares += static_cast<double>(length) * static_cast<double>(length);
        failures += 1;
      }
    const double share = rate * repair / (1 + rate * repair);
    EXPECT_NEAR(down / (links_of_the_torus * end), share, 0.04 * share) << process;
    EXPECT_NEAR(down / failures, repair, 0.04 * repair) << process;
    const double variance = squares / failures - down / failures * down / failures;
    const bool constant = std::string_view(process).find("constant") != std::string_view::npos;
    EXPECT_NEAR(std::sqrt(variance), constant ? 0 : repair, 0.1 * repair) << process;
  }
}

TEST(FaultProcess, IntermittentFailuresHaveTheirDutyCycle) {
  constexpr std::uint64_t end = 100'000;
  const FaultHistory history = drawn("intermittent:faults=7,period=400,duty=0.25", end);
  const auto times = times_down(history, end);
  EXPECT_EQ(times.size(), 7U);
  for (const auto& [component, cycles] : times)
    for (std::size_t i = 0; i + 1 < cycles.size(); ++i) EXPECT_EQ(cycles[i], 100U);
  std::map<std::uint32_t, std::uint64_t> last;
  for (const auto& [cycle, up, component] : history.events) {
    if (up) continue;
    if (last.contains(component)) {
      EXPECT_EQ(cycle - last[component], 400U);
    }
    last[component] = cycle;
  }
  for (const auto& [component, cycle] : last) EXPECT_GE(cycle + 400, end);
}

/// 0.29 * 100 is less than 29 in binary numbers.
TEST(FaultProcess, TheDutyCycleIsRoundedToTheNearestCycle) {
  constexpr std::uint64_t end = 10'000;
  for (std::uint64_t down = 1; down < 100; ++down) {
    const std::string duty = (down < 10 ? "0.0" : "0.") + std::to_string(down);
    for (const auto& [component, cycles] :
         times_down(drawn("intermittent:faults=1,period=100,duty=" + duty, end), end))
      for (std::size_t i = 0; i + 1 < cycles.size(); ++i) ASSERT_EQ(cycles[i], down) << duty;
  }
}

/// The parts of a strike share a cycle; on a torus their coordinates say how far they are from each other.
TEST(FaultProcess, WhatFailsTogetherLiesCloseTogether) {
  const FaultHistory history = drawn("permanent:faults=40,together=5,radius=2,unit=link", 10'000'000, 3);
  std::map<std::uint64_t, std::vector<std::uint32_t>> strikes;
  for (const ComponentEvent& event : history.events) strikes[event.cycle].push_back(event.component);
  EXPECT_LE(strikes.size(), 12U);
  const auto ring_distance = [](std::uint32_t a, std::uint32_t b) {
    return std::min((a - b) % 8, (b - a) % 8);
  };
  for (const auto& [cycle, struck] : strikes) {
    // Some switch must be within two hops of both ends of each.
    bool has_centre = false;
    for (std::uint32_t centre = 0; centre < 64 && !has_centre; ++centre) {
      has_centre = true;
      for (const std::uint32_t component : struck)
        for (const ChannelId channel : history.components.channels(component)) {
          const std::uint32_t end = torus()->source(channel).value();
          has_centre =
              has_centre && ring_distance(end % 8, centre % 8) + ring_distance(end / 8, centre / 8) <= 2;
        }
    }
    EXPECT_TRUE(has_centre) << cycle;
  }
}

TEST(FaultProcess, WhatFailsTogetherIsDrawnAsEver) {
  const FaultHistory history = drawn("permanent:faults=5,together=3,radius=2,unit=link+switch", 1'000'000, 3);
  EXPECT_THAT(fault_schedule_text(history, "drawn"),
              testing::EndsWith("\n349883,down,s7.2\n349883,down,s1.1\n"
                                "893198,down,s1.0[0] - s2.0[1]\n"
                                "893198,down,s2.7[2] - s2.0[3]\n"
                                "893198,down,s1.7[2] - s1.0[3]\n"));
}

/// What lies within the radius is sought around the switches that are drawn: around all 13824, it would take
/// minutes and gigabytes.
TEST(FaultProcess, OneStrikeOfAWideRadiusTakesOneSearch) {
  const TopologyPtr large = build_topology(parse_compact("topology", "torus:radix=24x24x24"));
  const std::clock_t start = std::clock();
  EXPECT_EQ(drawn("permanent:faults=2,together=2,radius=1000", 1000, 1, large).events.size(), 2U);
  EXPECT_LT(std::clock() - start, 10 * CLOCKS_PER_SEC);
}

/// A schedule holds each of the network channels of a switch that goes down, 192 on average.
TEST(FaultProcess, ManyFailuresOfLargeComponentsAreRefused) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=64,n=2"));
  const FaultHistory history =
      drawn("transient:faults=120000,unit=switch,repair=1", 1'000'000'000, 1, topology);
  EXPECT_EQ(history.events.size(), 240'000U);
  try {
    (void)drawn("transient:faults=150000,unit=switch,repair=1", 1'000'000'000, 1, topology);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().field, "fault-process");
    EXPECT_THAT(error.parts().allowed, HasSubstr("57533952 times"));
  }
}

TEST(FaultProcess, LongPeriodsDoNotWrapRound) {
  const FaultHistory history = drawn("intermittent:faults=3,period=1000000000000,duty=1", 50'000);
  EXPECT_EQ(history.events.size(), 6U);  // the repairs lie far behind the end
  EXPECT_EQ(drawn("intermittent:faults=1,period=1000,duty=0", 50'000).events.size() % 2, 0U);
}

/// What happens before a run ends does not depend on whether it ends before or after a repair.
TEST(FaultProcess, WhereARunEndsMakesNoFaultPermanent) {
  for (const char* process :
       {"transient:rate=1e-4,repair=2000", "intermittent:faults=7,period=400,duty=0.25"}) {
    const FaultSchedule schedule = fault_schedule(drawn(process, 10'000));
    EXPECT_GT(std::ranges::count_if(schedule, [](const Outage& outage) { return outage.until >= 10'000; }),
              0);
    EXPECT_TRUE(std::ranges::none_of(schedule, &Outage::is_permanent)) << process;
  }
}

TEST(FaultProcess, IsAFunctionOfItsSeed) {
  for (const FaultProcessKind* kind : fault_process_kinds())
    for (const Description& sample : kind->info.samples()) {
      Description described = sample;
      described.kind = kind->info.name;
      const auto events = [&](std::uint64_t seed) {
        return draw_faults(torus(), 50'000, seed, described).events;
      };
      EXPECT_EQ(events(1), events(1));
      EXPECT_NE(events(1), events(2)) << to_compact(described);
      EXPECT_FALSE(events(1).empty()) << to_compact(described);
    }
}

TEST(FaultProcess, WhatIsWrittenIsReadAgain) {
  const TemporaryFolder folder;
  for (const char* name : {"torus:radix=4x4", "ft-ruft-222:k=2,n=3", "switch-ring:n=6", "mikant:k=2,n=3"})
    for (const char* unit : {"channel", "link", "switch", "terminal", "link+switch", "channel+link"})
      for (const char* process : {"transient:rate=1e-4,repair=300", "intermittent:faults=2,period=500"}) {
        const TopologyPtr topology = build_topology(parse_compact("topology", name));
        const FaultHistory history =
            drawn(std::string(process) + ",scope=all,unit=" + unit, 20'000, 7, topology);
        const std::string file = folder.file("faults.csv", fault_schedule_text(history, "drawn"));
        EXPECT_EQ(read_fault_schedule(topology, read_input(file, "schedule"), "schedule"),
                  fault_schedule(history))
            << name << ' ' << unit << ' ' << process;
      }
}

TEST(FaultProcess, RubbishIsRefused) {
  const auto refusal = [](std::string_view process) -> std::string {
    try {
      (void)drawn(process);
    } catch (const Error& error) {
      return error.parts().field + " " + error.parts().allowed;
    }
    return "accepted";
  };
  EXPECT_THAT(refusal("sometimes"), HasSubstr("must be one of"));
  EXPECT_THAT(refusal("permanent:faults=3,from=1000000"),
              HasSubstr("fault-process.from must be below the length"));
  EXPECT_THAT(refusal("transient:rate=1e-2,together=100,radius=9"), HasSubstr("at most a million"));
  EXPECT_THAT(refusal("permanent:faults=129"), HasSubstr("at most the number of components, 128"));
  EXPECT_THAT(refusal("permanent:faults=1,together=129"), HasSubstr("at most the number of components, 128"));
  EXPECT_THAT(refusal("transient:rate=0.9"), HasSubstr("at most a million"));
  EXPECT_THAT(refusal("intermittent:faults=100,period=2"), HasSubstr("more than a million"));
  const FaultProcessKind& kind =
      find_kind(fault_process_kinds(), parse_compact("fault-process", "permanent"));
  EXPECT_THROW((void)kind.info.canonical(parse_compact("fault-process", "permanent")), Error);
  EXPECT_THROW((void)kind.info.canonical(parse_compact("fault-process", "permanent:rate=1e-7,faults=3")),
               Error);
}

}  // namespace
}  // namespace faultline
