// SPDX-License-Identifier: Apache-2.0
// Work of days, or for more memory than there is, is refused before it begins, and the message names the
// option that allows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

/// One command for each verb, and for each expensive part.
const std::vector<Words> commands{
    {"verify", "torus", "radix=4x4"},
    {"verify", "torus", "radix=4x4", "--all-faults-up-to", "2"},
    {"resilience", "torus", "radix=4x4", "--faults", "2"},
    {"resilience", "torus", "radix=4x4", "--faults", "1..3", "--exhaustive"},
    {"resilience", "torus", "radix=4x4", "--routing", "methodology", "--faults", "2"},
    {"resilience", "mikant", "k=4", "n=2", "--unit", "switch", "--faults", "1", "--follow", "5"},
    {"simulate", "torus", "radix=4x4", "--load", "0.2"},
    {"simulate", "torus", "radix=4x4", "--load", "0.2", "--switching", "wormhole"},
    {"simulate", "torus", "radix=4x4", "--find-saturation"},
    {"topology", "torus", "radix=4x4", "--routing", "shortest-path"},
    {"topology", "torus", "radix=4x4", "--routing", "up-down"},
    {"topology", "mesh", "radix=64x64", "--all-distances"},
    {"statements", "switch-ring", "n=12"},
    {"statements", "switch-torus", "rows=4", "columns=4"},
};

Words with(Words command, const Words& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(CostLimit, EveryVerbSaysWhatItWouldCostBeforeItBegins) {
  for (const Words& command : commands) {
    const Outcome refused = run_program(with(command, {"--cpu-hours", "1e-9"}));
    EXPECT_EQ(refused.code, 2) << testing::PrintToString(command);
    EXPECT_EQ(refused.output, "");
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("would take about"), HasSubstr("of CPU time"),
                                      HasSubstr("(--cpu-hours "), Not(HasSubstr(" 0 GiB"))));
  }
}

/// Lost terminals over all sets take one set from each class; of sets that are drawn, each is evaluated.
TEST(CostLimit, CountsTheSetsOfWhichLostTerminalsAreCounted) {
  const Words command{"resilience", "torus",    "radix=8x8", "--routing", "shortest-path", "--unit",
                      "link",       "--faults", "12",        "--lost",    "--cpu-hours",   "0.01"};
  const Outcome refused = run_program(with(command, {"--samples", "1000000000"}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("(--cpu-hours "));
  EXPECT_EQ(run_program(with(command, {"--samples", "10"})).code, 0);
}

/// 1e-9 hours are 3.6 microseconds.
TEST(CostLimit, OfLessThanASecondIsSaidInMicroseconds) {
  const Outcome refused =
      run_program(with({"simulate", "torus", "radix=4x4", "--load", "0.1"}, {"--cpu-hours", "1e-9"}));
  EXPECT_TRUE(std::regex_search(
      refused.errors, std::regex("would take about [0-9]+ microseconds of CPU time \\([^)]*\\); the limit is "
                                 "3\\.6 microseconds of CPU time \\(--cpu-hours 1 would allow it\\)")))
      << refused.errors;
}

TEST(CostLimit, MemoryIsLimitedAsWell) {
  for (const Words& command : {commands[2], commands[9], commands[10],
                               Words{"verify", "torus", "radix=4x4", "--certificate", "proof"}}) {
    const TemporaryFolder folder;
    const Outcome refused = run_program(with(command, {"--memory-gib", "1e-8"}), folder.path.string());
    EXPECT_EQ(refused.code, 2) << testing::PrintToString(command);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("GiB of memory"), HasSubstr("(--memory-gib "),
                                      Not(HasSubstr("(--cpu-hours "))));
  }
}

double gib_of(const Words& command) {
  const Outcome refused = run_program(with(command, {"--memory-gib", "1e-8", "--cpu-hours", "inf"}));
  std::smatch found;
  if (!std::regex_search(refused.errors, found, std::regex("and ([0-9.e+-]+) GiB of memory"))) return -1;
  return std::stod(found[1]);
}

/// A table of BaseRoutes takes 8 bytes for each switch and terminal, and ft-drb was measured to take 63.
TEST(CostLimit, CountsTheTablesOfMultistepPaths) {
  const auto gib_by = [](const char* routing) {
    return gib_of({"topology", "torus", "radix=16x16", "terminals_per_switch=64", "--routing", routing});
  };
  const auto bytes_a_pair = [&](const char* routing) {
    constexpr double pairs = 256.0 * 256 * 64, gib = 1U << 30;
    return (gib_by(routing) - gib_by("shortest-path")) * gib / pairs;  // without the network itself
  };
  EXPECT_GT(bytes_a_pair("drb"), 8);
  EXPECT_LT(bytes_a_pair("drb"), 32);
  EXPECT_GT(bytes_a_pair("ft-drb"), 63);
  EXPECT_LT(bytes_a_pair("ft-drb"), 250);
}

/// Of all pairs of switches, or of a switch and a terminal.
TEST(CostLimit, CountsThePlansOfSourcesAndForwardingTables) {
  for (const Words& network : {Words{"torus", "radix=8x8x8", "--routing", "methodology"},
                               Words{"torus", "radix=8x8x8", "--routing", "ft-fir"}})
    EXPECT_GT(gib_of(with({"topology"}, network)), 512.0 * 512 * 8 / (1U << 30));
  const std::string fabric = std::string(FAULTLINE_SOURCE_DIR) + "/tests/data/topology/fabric/two-leaves";
  EXPECT_GT(gib_of({"topology", "fabric", "file=" + fabric + ".file", "tables=" + fabric + ".tables",
                    "--routing", "tables"}),
            0);
}

/// A run in each thread: 16 of them were measured to take 243 MiB.
TEST(CostLimit, RunsAtTheSameTimeTakeMemoryEach) {
  const auto gib = [](const char* replications, const char* jobs) {
    return gib_of({"simulate", "torus", "radix=64x64", "--load", "0.3", "--cycles", "300", "--packet-flits",
                   "4", "--replications", replications, "--jobs", jobs});
  };
  EXPECT_GT(gib("16", "16"), 0.1);
  EXPECT_LT(gib("16", "16"), 0.4);
  EXPECT_LT(gib("16", "1"), 0.1);
  EXPECT_EQ(gib("1", "16"), gib("16", "1"));
  EXPECT_EQ(gib("3", "16"), gib("16", "3"));
}

/// The option and the value that a refusal names are sufficient.
TEST(CostLimit, WhatTheRefusalSaysAllowsIt) {
  const Words command{"verify", "hypercube", "n=9"};
  const Outcome refused = run_program(with(command, {"--cpu-hours", "1e-6"}));
  std::smatch found;
  ASSERT_TRUE(std::regex_search(refused.errors, found, std::regex("\\((--cpu-hours) ([0-9]+) would")))
      << refused.errors;
  EXPECT_EQ(run_program(with(command, {found[1], found[2]})).code, 0);
}

/// In a large network the states of one destination are counted: on a hypercube it is one a switch.
TEST(CostLimit, CountsTheStatesOfLargeNetworks) {
  const Outcome refused = run_program({"verify", "hypercube", "n=13", "--cpu-hours", "1e-6"});
  EXPECT_THAT(refused.errors, HasSubstr("6.7e+07 states of packets to 8192 destinations"));
}

double hours_of(const Words& command) {
  const Outcome refused = run_program(with(command, {"--cpu-hours", "1e-9"}));
  std::smatch found;
  if (!std::regex_search(refused.errors, found, std::regex("about ([0-9.e+-]+) (hours|days|years)")))
    return -1;
  const double unit = found[2] == "hours" ? 1 : found[2] == "days" ? 24 : 24 * 365;
  return std::stod(found[1]) * unit;
}

/// These take minutes, and must not be refused.
TEST(CostLimit, AllowsWhatRunsInMinutes) {
  for (const Words& command :
       {Words{"verify", "fat-tree", "k=8", "n=5"}, Words{"verify", "fat-tree", "k=16", "n=4"}}) {
    EXPECT_GT(hours_of(command), 0.0001);
    EXPECT_LT(hours_of(command), 1);
  }
}

TEST(CostLimit, CountsTheCyclesThatAStopRuleMayTake) {
  const Words command{"simulate", "torus", "radix=8x8", "--load", "0.5", "--cpu-hours", "5e-5"};
  EXPECT_EQ(run_program(command).code, 0);
  for (const Words& rule : {Words{"--packets-per-source", "100000000"}, Words{"--interval-width", "1e-5"},
                            Words{"--warmup", "500000000"}}) {
    const Outcome refused = run_program(with(command, rule));
    EXPECT_EQ(refused.code, 2) << testing::PrintToString(rule);
    EXPECT_THAT(refused.errors, HasSubstr("(--cpu-hours "));
  }
}

TEST(CostLimit, IsAboveZero) {
  for (const char* limit : {"0", "-1", "nan", "", "1h", "1e"})
    for (const char* option : {"--cpu-hours", "--memory-gib"}) {
      const Outcome refused = run_program({"topology", "fat-tree", "k=2", "n=2", option, limit});
      EXPECT_EQ(refused.code, 2) << option << " " << limit;
      EXPECT_THAT(refused.errors, HasSubstr(option));
    }
  EXPECT_EQ(run_program({"topology", "fat-tree", "k=2", "n=2", "--cpu-hours", "inf"}).code, 0);
}

TEST(CostLimit, AStudyKeepsTheCasesThatAreAllowed) {
  const TemporaryFolder folder;
  (void)folder.file("study.toml",
                    "[[experiment]]\nverb = \"verify\"\n"
                    "topology = [\"hypercube:n=2\", \"hypercube:n=9\"]\n");
  const Outcome refused = run_program({"study", "study.toml", "--cpu-hours", "1e-6"}, folder.path.string());
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("1 computed"), HasSubstr("1 failed")));
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("hypercube:n=9"), HasSubstr("(--cpu-hours ")));
}

}  // namespace
}  // namespace faultline
