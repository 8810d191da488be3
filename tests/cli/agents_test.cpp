// SPDX-License-Identifier: Apache-2.0
// Source agents from the command line: which one runs, what it learns, what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> arguments{"simulate", "torus",    "radix=4x4", "--load",         "0.1", "--cycles",
                                     "6000",     "--warmup", "0",         "--packet-flits", "8",   "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json simulated(std::vector<std::string> more) {
  const Outcome outcome = run_program(with(std::move(more)));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  return nlohmann::json::parse(outcome.output);
}

TEST(Agents, TheRoutingNamesItsOwn) {
  EXPECT_TRUE(simulated({"--routing", "ft-drb"}).contains("control"));
  EXPECT_TRUE(simulated({"--routing", "drb"}).contains("control"));
  EXPECT_FALSE(simulated({"--routing", "ft-drb", "--agent", "none"}).contains("control"));
  EXPECT_FALSE(simulated({"--routing", "valiant"}).contains("control"));
  EXPECT_TRUE(simulated({"--routing", "valiant", "--agent", "last-latency"}).contains("control"));
}

TEST(Agents, LastLatencyMayUseEveryOption) {
  const auto open = simulated({"--routing", "ft-drb", "--agent", "last-latency"})["control"]["paths_open"];
  EXPECT_GT(open["mean"].get<double>(), 1);
  EXPECT_LE(open["mean"].get<double>(), open["max"].get<double>());
}

/// What is alone in the network is not slow, whatever its cables take.
TEST(Agents, OpenNoPathsInAnIdleNetworkOfLongCables) {
  const TemporaryFolder folder;
  std::string edges;
  for (int at = 0; at < 9; ++at) edges += fmt::format("switch s{0}\nterminal t{0}\nt{0} s{0}\n", at);
  for (int at = 0; at < 9; ++at) {
    if (at % 3 != 2) edges += fmt::format("s{} s{} cycles=20\n", at, at + 1);
    if (at < 6) edges += fmt::format("s{} s{} cycles=20\n", at, at + 3);
  }
  const std::string file = folder.file("edges", edges);
  const Outcome outcome =
      run_program({"simulate", "graph", "file=" + file, "--routing", "drb:base=shortest-path", "--load",
                   "0.001", "--packet-flits", "1", "--cycles", "40000", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_LT(nlohmann::json::parse(outcome.output)["control"]["paths_open"]["mean"], 1.01);
}

/// A few long packets change nothing for the others.
TEST(Agents, CompareLatenciesWithThatOfAMeanPacket) {
  const auto open = [](const char* flits) {
    const Outcome outcome =
        run_program({"simulate", "torus", "radix=4x4", "--routing", "drb", "--traffic", "transpose", "--load",
                     "0.5", "--cycles", "20000", "--packet-flits", flits, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output)["control"]["paths_open"]["mean"].get<double>();
  };
  const double alone = open("8"), with_long_ones = open("8:0.999,256:0.001");
  EXPECT_GT(alone, 1.5);
  EXPECT_NEAR(with_long_ones / alone, 1, 0.2);
}

/// Packets meet links that are dead from the start, and sources are notified.
TEST(Agents, AreToldOfStaticFaults) {
  const nlohmann::json result = simulated({"--routing", "ft-drb", "--faults", "2", "--unit", "link"});
  EXPECT_EQ(result["failed"].size(), 2U);
  EXPECT_EQ(result["dropped"], 0);
  EXPECT_FALSE(result["deadlock"]);
  EXPECT_GT(result["control"]["notifications"], 0);
  EXPECT_GT(result["control"]["table"]["permanent"], 0);
  EXPECT_LT(result["control"]["notifications"], result["control"]["acknowledgements"]);
}

/// For sources that are notified, dead channels go down in the first cycle: that is no change during the run.
TEST(Agents, LeaveTheWarmUpOutWithStaticFaultsToo) {
  for (const char* const faults : {"0", "2"}) {
    const Outcome outcome = run_program({"simulate", "torus", "radix=4x4", "--routing", "ft-drb", "--load",
                                         "0.3", "--packet-flits", "16", "--faults", faults, "--unit", "link",
                                         "--cycles", "30000", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_GT(nlohmann::json::parse(outcome.output)["warmup_cycles"], 0) << faults << " faults";
  }
}

/// The channels that are down at the end of the run that is watched, the first of several.
TEST(Agents, TheWatchedPairIsThatOfTheFirstRun) {
  const TemporaryFolder folder;
  const std::string schedule = folder.file("schedule.csv", "100,down,s0.0\n5000,up,s0.0\n9000,down,s1.0\n");
  const auto watched = [&](const std::string& replications) {
    return simulated({"--routing", "ft-drb", "--watch", "terminal 1,terminal 6", "--replications",
                      replications, "--schedule", schedule})["control"]["watched"];
  };
  EXPECT_EQ(watched("1")["down"].size(), 0U);
  EXPECT_EQ(watched("3"), watched("1"));
}

TEST(Agents, AWatchedPairIsTwoTerminals) {
  const Outcome outcome = run_program(with({"--routing", "ft-drb", "--watch", "terminal 1,terminal 1"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("two different terminals"));
}

TEST(Agents, TheWatchedPairIsPrinted) {
  const Outcome outcome = run_program({"simulate", "torus", "radix=4x4", "--load", "0.1", "--routing",
                                       "ft-drb", "--watch", "terminal 0,terminal 1"});
  EXPECT_THAT(outcome.output, testing::HasSubstr("watched: terminal 0 -> terminal 1"));
  EXPECT_THAT(outcome.output, testing::HasSubstr("cycles: s0.0["));
}

TEST(Agents, NamesOfWatchedTerminalsMayHoldCommas) {
  const TemporaryFolder folder;
  const auto network = [&](const std::string& names) {
    return "file=" +
           folder.file("names.json", R"({"nodes":[{"id":"s","kind":"switch"},)" + names +
                                         R"(],"links":[{"source":"s","target":1},{"source":"s","target":2},)"
                                         R"({"source":"s","target":3}]})");
  };
  const std::string file =
      network(R"({"id":1,"name":"n,0","kind":"terminal"},{"id":2,"name":"n,1","kind":"terminal"},)"
              R"({"id":3,"name":"d","kind":"terminal"})");
  const Outcome outcome = run_program({"simulate", "graph", file, "--routing", "drb", "--load", "0.1",
                                       "--json", "--cycles", "2000", "--watch", "n,0,n,1"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["control"]["watched"]["destination"], "n,1");
}

/// Packets from and to a dead terminal are dropped, whoever chooses their paths: they do not fill the
/// network.
TEST(Agents, LeaveNoPacketWaitingForWhatNeverComesUp) {
  const std::vector<std::string> dead{"--knowledge", "neighbours", "--faults", "1", "--unit", "terminal"};
  const auto with_agent = [&](std::vector<std::string> more) {
    more.insert(more.end(), dead.begin(), dead.end());
    return simulated(std::move(more));
  };
  for (const std::string routing : {"dimension-order", "drb", "ft-drb"}) {
    const std::string without_relays = routing == "ft-drb" ? "drb" : routing;
    const nlohmann::json none = with_agent({"--routing", without_relays, "--agent", "none"});
    ASSERT_GT(none["dropped"], 50);
    for (const std::string agent : {"last-latency", "drb", "ft-drb"}) {
      const nlohmann::json learns = with_agent({"--routing", routing, "--agent", agent});
      EXPECT_EQ(learns["saturated"], false) << routing << " with " << agent;
      EXPECT_LT(learns["in_flight"], 40) << routing << " with " << agent;
      EXPECT_EQ(learns["dropped_by_reason"]["unreachable"], none["dropped_by_reason"]["unreachable"]);
      EXPECT_NEAR(learns["dropped"].get<double>(), none["dropped"].get<double>(), 8);
    }
  }
}

TEST(Agents, WhatIsNotAllowedIsNamed) {
  const auto errors = [](std::vector<std::string> more) {
    const Outcome outcome = run_program(with(std::move(more)));
    EXPECT_EQ(outcome.code, 2);
    return outcome.errors;
  };
  EXPECT_THAT(errors({"--agent", "ft-dbr"}), testing::HasSubstr("ft-drb"));
  EXPECT_THAT(errors({"--agent", "ft-drb:atempts=1"}), testing::HasSubstr("attempts"));
  EXPECT_THAT(errors({"--agent", "drb:lower=200"}), testing::HasSubstr("upper threshold"));
  EXPECT_THAT(errors({"--agent", "drb", "--switching", "wormhole"}), testing::HasSubstr("simulate.agent"));
  EXPECT_THAT(errors({"--routing", "drb", "--knowledge", "neighbours", "--source", "plan"}),
              testing::HasSubstr("simulate.source = 'plan'"));
  for (const auto& [option, value] :
       {std::pair{"agent-reaction", "10"}, {"control-flits", "2"}, {"control-buffers", "shared"}}) {
    const std::string flag = std::string("--") + option;
    EXPECT_THAT(errors({flag, value}), testing::HasSubstr("must be used with an agent")) << option;
    EXPECT_THAT(errors({"--routing", "ft-drb", "--agent", "none", flag, value}), testing::HasSubstr(option));
    EXPECT_TRUE(simulated({"--routing", "ft-drb", flag, value}).contains("control")) << option;
  }
  EXPECT_FALSE(simulated({"--control-flits", "1", "--control-buffers", "own"}).contains("control"));
}

}  // namespace
}  // namespace faultline
