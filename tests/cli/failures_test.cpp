// SPDX-License-Identifier: Apache-2.0
// Runs in which components fail, and what their answers say of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace faultline {
namespace {

/// A switch of a torus is down from cycle 20,000 of 50,000 on, and all traffic waits: half of the run is not
/// a warm-up.
TEST(FailuresDuringARun, TheWarmUpEndsBeforeTheFirstFailure) {
  const TemporaryFolder folder;
  const auto result = json_answer({"simulate", "torus", "radix=4x4", "--routing", "up-down", "--load", "0.2",
                                   "--packet-flits", "16", "--cycles", "50000", "--schedule",
                                   folder.file("half.csv", "20000,down,s1.0\n900000000,up,s1.0\n")});
  EXPECT_LE(result["warmup_cycles"].get<int>(), 20'000);
  EXPECT_NEAR(result["accepted"].get<double>(), 0.2 * 20 / 50, 0.005);
}

/// Queues that an outage fills drain after the repair: at the end of the run none is left.
TEST(FailuresDuringARun, ARunWhoseQueuesHaveDrainedIsNotSaturated) {
  const TemporaryFolder folder;
  const auto saturated = [&](const std::string& schedule) {
    return json_answer({"simulate", "mesh", "radix=3x3", "--routing", "dimension-order", "--load", "0.2",
                        "--packet-flits", "8", "--cycles", "20000", "--schedule",
                        folder.file("s.csv", schedule)})["saturated"];
  };
  EXPECT_EQ(saturated("1000,down,s0.0[0] - s1.0[1]\n5000,up,s0.0[0] - s1.0[1]\n"), false);
  EXPECT_EQ(saturated("10000,down,s0.0[0] - s1.0[1]\n30000,up,s0.0[0] - s1.0[1]\n"), true);
}

/// The packet is found to have no path when tables are installed, after the interval in which it was
/// generated.
TEST(FailuresDuringARun, ThatNoneIsDrawnIsNoted) {
  const Outcome outcome = run_program({"simulate", "torus", "radix=4x4", "--load", "0.1", "--cycles", "3000",
                                       "--fault-process", "transient:rate=1e-12"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, testing::HasSubstr("no failure was drawn"));
  const TemporaryFolder folder;
  const Outcome scheduled = run_program({"simulate", "mesh", "radix=3", "--load", "0.1", "--cycles", "2000",
                                         "--schedule", folder.file("none.csv", "# nothing\n")});
  EXPECT_THAT(scheduled.output, testing::HasSubstr("the schedule names no component"));
}

TEST(FailuresDuringARun, ATraceEndsWithAPacketThatIsDroppedLate) {
  const TemporaryFolder folder;
  const std::string trace = "trace:file=" + folder.file("one.csv", "87,2,0,16\n"),
                    schedule = folder.file("dead.csv", "0,down,terminal 2\n");
  for (const std::string switching : {"vct", "wormhole"}) {
    const auto result =
        json_answer({"simulate", "mesh", "radix=3x3", "--routing", "up-down", "--traffic", trace,
                     "--schedule", schedule, "--reroute-after", "500", "--switching", switching});
    EXPECT_EQ(result["dropped_by_reason"]["unreachable"], 1);
    EXPECT_LT(result["cycles"].get<int>(), 2000) << switching;
    EXPECT_EQ(result["too_short"], false);
  }
}

/// A channel that no packet of the trace uses goes down and comes up again.
TEST(FailuresDuringARun, TheThroughputOfATraceEndsWithIt) {
  const TemporaryFolder folder;
  std::string packets;
  for (int i = 0; i < 330; ++i)
    for (int source = 0; source < 4; ++source)
      packets += fmt::format("{},{},{},16\n", 32 * i, source, (source + 1) % 4);
  const std::string trace = "trace:file=" + folder.file("neighbours.csv", packets),
                    schedule =
                        folder.file("unused.csv", "4000,down,s1[1] -> s0[0]\n4100,up,s1[1] -> s0[0]\n");
  for (const std::string switching : {"vct", "wormhole"}) {
    const auto result = json_answer({"simulate", "torus", "radix=4", "--routing", "dimension-order",
                                     "--traffic", trace, "--schedule", schedule, "--switching", switching});
    EXPECT_EQ(result["throughput"].back()["until"], result["cycles"]) << switching;
    EXPECT_FALSE(result.contains("recovery")) << switching;
    EXPECT_THAT(result["notes"].dump(), testing::HasSubstr("no recovery is given")) << switching;
    double flits = 0;
    for (const auto& part : result["throughput"])
      flits += part["accepted"].get<double>() * (part["until"].get<double>() - part["from"].get<double>());
    EXPECT_NEAR(flits, 330 * 16, 1e-6);
  }
}

/// Two links are dead from the beginning, one of which also goes down in the schedule, with a third.
TEST(FailuresDuringARun, WhatIsDeadFromTheBeginningCountsOnceAndDoesNotFailAgain) {
  const TemporaryFolder folder;
  const std::string dead = folder.file("dead.txt", "s0.3[0] - s1.3[1]\ns1.3[0] - s2.3[1]\n"),
                    schedule = folder.file("later.csv",
                                           "4000,down,s1.3[0] - s2.3[1]\n5000,down,s1.1[0] - s2.1[1]\n"
                                           "9000,up,s1.3[0] - s2.3[1]\n");
  for (const std::string routing : {"up-down", "ft-drb"}) {
    const auto result =
        json_answer({"simulate", "mesh", "radix=4x4", "--routing", routing, "--load", "0.1", "--packet-flits",
                     "8", "--cycles", "20000", "--unit", "link", "--faults", dead, "--schedule", schedule});
    ASSERT_EQ(result["recovery"].size(), 1U) << routing;
    EXPECT_EQ(result["recovery"][0]["at"], 5000) << routing;
    EXPECT_EQ(result["recovery"][0]["channels_down"], 6) << routing;
    EXPECT_THAT(result["notes"].dump(), testing::HasSubstr("dead in the whole run: 2")) << routing;
  }
}

TEST(FailuresDuringARun, SourcesThatPauseAreNotCutOff) {
  const TemporaryFolder folder;
  const std::string late = folder.file("late.csv", "19800,down,s0.0[0] - s1.0[1]\n");
  const auto result = json_answer({"simulate", "torus", "radix=4x4", "--routing", "up-down", "--load", "0.1",
                                   "--packet-flits", "16", "--cycles", "20000", "--schedule", late,
                                   "--reroute-after", "500", "--reroute-stops"});
  EXPECT_FALSE(result.contains("cut_off"));
}

/// The number of layers of lash depends on the faults.
TEST(FailuresDuringARun, TablesAreRecomputedWithAsManyVirtualChannels) {
  const std::vector<std::string> asked{"simulate",
                                       "torus",
                                       "radix=4x4",
                                       "--load",
                                       "0.2",
                                       "--packet-flits",
                                       "16",
                                       "--cycles",
                                       "40000",
                                       "--fault-process",
                                       "transient:faults=6,repair=4000",
                                       "--reroute-after",
                                       "500",
                                       "--routing"};
  std::vector<std::string> any = asked, eight = asked;
  any.emplace_back("lash");
  eight.emplace_back("lash:vcs=8");
  const Outcome refused = run_program(any);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, testing::HasSubstr("as in lash:vcs=8"));
  const auto result = json_answer(eight);
  EXPECT_NEAR(result["accepted"].get<double>(), 0.2, 0.01);
}

TEST(WrittenCertificates, SayWhatTheyCoverAndWhenThereIsNone) {
  const TemporaryFolder folder;
  const Outcome sets = run_program({"verify", "mikant", "k=2", "n=3", "--routing", "go-back", "--unit",
                                    "link", "--all-faults-up-to", "1", "--certificate", "g.cert"},
                                   folder.path);
  EXPECT_EQ(sets.code, 3);
  EXPECT_THAT(sets.output,
              testing::HasSubstr("g.cert (for the network without faults, not for the sets above"));
  const Outcome unproved = run_program({"verify", "torus", "radix=4x4", "--routing", "duato", "--faults", "3",
                                        "--unit", "link", "--certificate", "u.cert"},
                                       folder.path);
  EXPECT_EQ(unproved.code, 3);
  EXPECT_THAT(unproved.output,
              testing::HasSubstr("none is written: there is neither a proof nor a deadlock"));
}

}  // namespace
}  // namespace faultline
