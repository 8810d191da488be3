// SPDX-License-Identifier: Apache-2.0
// Rings and cliques of switches on the command line: lost terminals, statements, designs, layouts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faultline/base/file.h"
#include "program.h"
#include "support/effort.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(SwitchedLans, ResilienceCountsLostTerminalsUnasked) {
  const std::vector<std::string> question{"resilience", "switch-ring", "n=12", "--unit",
                                          "switch",     "--faults",    "0..3", "--exhaustive"};
  const Outcome text = run_program(question);
  ASSERT_EQ(text.code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("3 faults lose 6 terminals"));
  EXPECT_THAT(text.output, HasSubstr("fails s0, s"));
  const json points = json_answer(question).at("by_faults");
  EXPECT_EQ(points[3]["worst_lost_terminals"], 6);
  EXPECT_EQ(points[3]["worst_set"].size(), 3U);
  EXPECT_EQ(points[3]["worst_set_terminals"].size(), 6U);
  EXPECT_EQ(points[3]["sets"], 220);
}

TEST(SwitchedLans, StatementsThatFailAreANegativeVerdict) {
  const Outcome odd = run_program({"statements", "switch-ring", "n=9"});
  EXPECT_EQ(odd.code, 0) << odd.errors << odd.output;
  const Outcome even = run_program({"statements", "switch-ring", "n=4"});
  EXPECT_EQ(even.code, 3);
  EXPECT_THAT(even.output, HasSubstr("FAILS     claim-1.2"));
  EXPECT_THAT(even.output, HasSubstr("s0, s2 fail; lost: terminal 1, terminal 2"));
  const Outcome other = run_program({"statements", "fat-tree", "k=2", "n=2"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.errors, HasSubstr("must be a switch-ring"));
  EXPECT_THAT(run_program({"statements", "switch-ring", "n=4", "--only", "claim-1.9"}).errors,
              HasSubstr("did you mean 'claim-1."));
}

TEST(SwitchedLans, ATerminalAloneLosesNothing) {
  for (const char* const knowledge : {"none", "neighbours", "all"})
    for (const char* const unit : {"switch", "channel", "link"}) {
      const Outcome outcome = run_program({"resilience", "switch-ring", "n=3", "terminals=1", "--knowledge",
                                           knowledge, "--unit", unit, "--faults", "1", "--json"});
      ASSERT_EQ(outcome.code, 0) << knowledge << ", " << unit << ": " << outcome.errors;
      EXPECT_EQ(nlohmann::json::parse(outcome.output)["by_faults"][0]["intolerable_sets"], "0");
    }
  const Outcome statements = run_program({"statements", "switch-ring", "n=5", "terminals=1"});
  EXPECT_EQ(statements.code, 0) << statements.output;
}

TEST(SwitchedLans, ADesignIsWrittenForTheTopologyThatReadsIt) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"design", "switches", "--terminals", "8", "--ports", "6", "--faults", "2", "--steps", "20",
                   "--attachment", "a.csv", "--certificate", "c.txt", "--json"},
                  folder.path.string());
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const json best = json::parse(outcome.output).at("designs").at(0);
  EXPECT_THAT(read_file(folder.path / "c.txt", "test"), HasSubstr("faultline-switches 1"));
  std::string topology = best["construction"];
  EXPECT_THAT(read_file(folder.path / "a.csv", "test"), HasSubstr("# one line per terminal"));
  EXPECT_EQ(best["worst_cases"].size(), 3U);
  const Outcome refused = run_program({"design", "switches", "--terminals", "8", "--ports", "2"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("design.ports = '2'"));
  EXPECT_EQ(run_program({"design"}).code, 2);
}

TEST(SwitchedLans, ALayoutIsDrawn) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"design", "layout", "switch-ring", "n=12", "--drawing", "l.svg", "--steps", "200"},
                  folder.path.string());
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("optimal: no layout has a shorter longest terminal cable"));
  EXPECT_THAT(read_file(folder.path / "l.svg", "test"), HasSubstr("<svg"));
  EXPECT_EQ(run_program({"design", "layout", "fat-tree", "k=2", "n=2"}).code, 2);
  EXPECT_EQ(run_program({"design", "layout", "switch-ring", "n=5", "--room", "absent.csv"}).code, 2);
}

TEST(SwitchedLans, ThroughputComesBackWhenTablesAreComputedAnew) {
  const TemporaryFolder folder;
  const std::string schedule = folder.file("fails.csv", "20000,down,s0\n");
  const std::vector<std::string> asked{
      "simulate", "switch-ring", "n=12",           "--routing",      "up-down", "--load",
      "0.3",      "--cycles",    "40000",          "--packet-flits", "16",      "--schedule",
      schedule,   "--json",      "--replications", effort("8", "2")};
  const auto recovery = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = asked;
    all.insert(all.end(), more.begin(), more.end());
    const json answer = json::parse(run_program(all).output);
    EXPECT_GT(answer.at("throughput").size(), 100U);
    return answer.at("recovery").at(0);
  };
  EXPECT_TRUE(recovery({})["back_after"].is_null());
  const auto soon = recovery({"--reroute-after", "500"})["back_after"].get<std::uint64_t>();
  const auto late = recovery({"--reroute-after", "4000"})["back_after"].get<std::uint64_t>();
  EXPECT_LT(soon, 2'000U);
  EXPECT_GE(late, 4'000U);
  EXPECT_LT(late, 8'000U);
}

TEST(SwitchedLans, NewTablesNeedAScheduleAndSomebodyWhoKnows) {
  const TemporaryFolder folder;
  const Outcome alone =
      run_program({"simulate", "switch-ring", "n=12", "--load", "0.1", "--reroute-after", "500"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.errors, HasSubstr("without a schedule"));
  const Outcome unknown =
      run_program({"simulate", "switch-ring", "n=12", "--load", "0.1", "--reroute-after", "500",
                   "--knowledge", "none", "--schedule", folder.file("fails.csv", "2000,down,s0\n")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("with knowledge none"));
}

/// Sources of the methodology plan around what they are told, while switches know nothing.
TEST(FaultsInTime, SourcesThatPlanAreToldToo) {
  const Outcome outcome = run_program({"simulate", "torus", "radix=4x4", "--routing", "methodology", "--load",
                                       "0.1", "--packet-flits", "8", "--cycles", "20000", "--fault-process",
                                       "permanent:faults=2,from=5000", "--reroute-after", "500", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const json answer = json::parse(outcome.output);
  EXPECT_FALSE(answer["deadlock"].get<bool>());
  EXPECT_FALSE(answer["saturated"].get<bool>());
  EXPECT_LT(answer["in_flight"].get<int>(), 20);
}

/// Those that are drawn, written to a file and read from it give the same run, under both switching models.
TEST(FaultsInTime, ThatAreDrawnCanBeReplayed) {
  const TemporaryFolder folder;
  for (const char* switching : {"vct", "wormhole"})
    for (const char* process : {"transient:rate=2e-5,repair=500", "intermittent:faults=2,period=900,duty=0.3",
                                "permanent:faults=2,together=2,unit=switch"}) {
      const std::string file = (folder.path / "faults.csv").string();
      const std::vector<std::string> asked{"simulate", "torus",  "radix=4x4",      "--load", "0.2",
                                           "--cycles", "12000",  "--packet-flits", "16",     "--switching",
                                           switching,  "--json", "--seed",         "5"};
      const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = asked;
        all.insert(all.end(), more.begin(), more.end());
        const Outcome outcome = run_program(all);
        EXPECT_EQ(outcome.code, 0) << outcome.errors;
        json answer = json::parse(outcome.output);
        answer.erase("seconds");
        answer.erase("inputs");
        return answer;
      };
      const json drawn = run({"--fault-process", process, "--schedule-out", file});
      EXPECT_FALSE(drawn.at("recovery").empty()) << process;
      EXPECT_TRUE(drawn == run({"--schedule", file})) << process;  // too much to print
    }
}

TEST(FaultsInTime, ThatDoNotFitAreRefused) {
  const TemporaryFolder folder;
  const std::string schedule = folder.file("s.csv", "10,down,s0\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{"--fault-process", "transient:rate=1e-6", "--schedule", schedule}, "left out with a schedule"},
      {{"--schedule-out", "x.csv"}, "without a fault-process"},
      {{"--on-failure", "drop"}, "without a schedule or a fault-process"},
      {{"--fault-process", "transient:rate=1e-6", "--packets-per-source", "10"}, "the length of the run"},
      {{"--fault-process", "transient"}, "exactly one of rate and faults must be above 0"},
      {{"--fault-process", "transient:rate=1e-5,faults=3"}, "exactly one of rate and faults must be above 0"},
      {{"--fault-process", "transient:rat=1"}, "rate"},
      {{"--fault-process", "sometimes"}, "must be one of"}};
  for (const auto& [more, message] : refused) {
    std::vector<std::string> all{"simulate", "torus", "radix=4x4", "--load", "0.2"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_program(all, folder.path);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_THAT(outcome.errors, HasSubstr(message));
  }
}

}  // namespace
}  // namespace faultline
