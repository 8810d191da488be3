// SPDX-License-Identifier: Apache-2.0
// What the program says of networks whose terminals are cut off, or that are disconnected before anything
// fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Verify, CountsPairsOfTerminalsThatAreCutOff) {
  const std::vector<std::string> one_link{"verify", "fat-tree", "k=2",      "n=3",      "--unit",
                                          "link",   "--scope",  "terminal", "--faults", "1"};
  const auto answer = json_answer(one_link);
  EXPECT_TRUE(answer["connected"].get<bool>());
  EXPECT_EQ(answer["cut_off_pairs"], 14);
  const Outcome text = run_program(one_link);
  EXPECT_THAT(text.output, HasSubstr("every pair of terminals that are not cut off"));
  EXPECT_THAT(text.output, HasSubstr("14 more pairs"));
  const Outcome sets =
      run_program({"verify", "fat-tree", "k=2", "n=2", "--unit", "switch", "--all-faults-up-to", "1"});
  EXPECT_THAT(sets.output,
              HasSubstr("2 cut some terminal off, 0 leave some pair of other"));  // a switch of the first
                                                                                  // stage has two terminals
  const Outcome none = run_program({"verify", "torus", "radix=3", "--unit", "switch", "--faults", "3"});
  EXPECT_THAT(none.output, HasSubstr("no pair of terminals is left"));
  EXPECT_THAT(none.output, HasSubstr(" 6 pairs have"));
}

TEST(Resilience, SaysWhatIsDisconnectedBeforeAnythingFails) {
  const TemporaryFolder folder;
  (void)folder.file("islands.edges", "a b\nc d\n");
  const std::vector<std::string> asked{"resilience", "graph", "file=islands.edges", "--unit", "link"};
  const Outcome text = run_program(asked, folder.path);
  EXPECT_THAT(text.output, HasSubstr("8 ordered pairs are disconnected"));
  EXPECT_THAT(text.output, Not(HasSubstr("one more can cut")));
  std::vector<std::string> json = asked;
  json.emplace_back("--json");
  const auto answer = nlohmann::json::parse(run_program(json, folder.path).output);
  EXPECT_EQ(answer["pairs_lost_without_faults"], 8);
  ASSERT_EQ(answer["critical"].size(), 2U);
  for (const auto& component : answer["critical"]) {
    EXPECT_EQ(component["pairs_lost"], 2) << component;
    EXPECT_EQ(component["cut_share"], 0) << component;  // the fewest faults are none
  }
}

/// All packets are dropped at their source, of two: a fifth of a flit is offered by one of them.
TEST(Simulate, ARunThatDeliversNothingHasNoWarmup) {
  const TemporaryFolder folder;
  (void)folder.file("w.csv", "0,1\n0,0\n");
  const std::vector<std::string> asked{
      "simulate", "mesh",      "radix=2",           "--load",   "0.2", "--packet-flits", "8",    "--cycles",
      "10000",    "--traffic", "matrix:file=w.csv", "--faults", "1",   "--unit",         "link", "--json"};
  const auto answer = nlohmann::json::parse(run_program(asked, folder.path).output);
  EXPECT_EQ(answer["warmup_cycles"], 0);
  EXPECT_NEAR(answer["offered"], answer["generated"].get<double>() * 8 / 20'000, 1e-3);
}

TEST(Simulate, KnowledgeIsOfStaticFaults) {
  const TemporaryFolder folder;
  (void)folder.file("s.txt", "100,down,s0[0] -> s1[1]\n");
  std::vector<std::string> asked{"simulate", "mesh",       "radix=3", "--load",      "0.1", "--cycles",
                                 "2000",     "--schedule", "s.txt",   "--knowledge", "all"};
  const Outcome refused = run_program(asked, folder.path);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("must be left out without static faults"));
  for (const char* option : {"--unit=switch", "--scope=all", "--tolerated-only"})
    for (const char* in_time : {"--schedule=s.txt", "--fault-process=transient:faults=1,repair=9"}) {
      const Outcome of_what = run_program({"simulate", "mesh", "radix=3", "--load", "0.1", "--cycles", "2000",
                                           in_time, option, "--reroute-after", "10"},
                                          folder.path);
      EXPECT_EQ(of_what.code, 2) << option;
      EXPECT_THAT(of_what.errors, HasSubstr("has its own unit and scope")) << option;
    }
  asked.insert(asked.end(), {"--reroute-after", "10"});
  EXPECT_EQ(run_program(asked, folder.path).code, 0);
}

TEST(Simulate, SaysOfSeveralRunsWhatTheyDidNotReach) {
  std::vector<std::string> asked{"simulate", "mesh", "radix=3x3",        "--load", "0.3",
                                 "--cycles", "2000", "--interval-width", "0.0001"};
  EXPECT_THAT(run_program(asked).output, HasSubstr("interval-width not reached"));
  const Outcome hasty = run_program({"simulate", "torus", "radix=4x4", "--load", "0.2", "--packet-flits", "8",
                                     "--cycles", "3000", "--interval-width", "0.5"});
  EXPECT_THAT(hasty.output,
              HasSubstr("too soon to rely on an interval of the latency within 0.5 of its mean"));
  asked.insert(asked.end(), {"--replications", "3"});
  EXPECT_THAT(run_program(asked).output, HasSubstr("interval-width not reached"));
  const Outcome none = run_program({"simulate", "fat-tree", "k=2", "n=3", "--load", "0.1", "--packet-flits",
                                    "4", "--cycles", "10", "--replications", "3"});
  EXPECT_THAT(none.output, HasSubstr("3 of 3 runs measured no packet"));
}

/// A virtual channel of one sender is free again two cycles after a packet of 16 flits: it carries 16 / 18.
TEST(SlowSimulate, SaturationOfOneSenderIsFoundWithinTwoPercent) {
  const TemporaryFolder folder;
  (void)folder.file("two.edges", "switch A\nswitch B\nterminal a\nterminal b\nA B\nA a\nB b\n");
  (void)folder.file("w.csv", "0,1\n0,0\n");
  for (const char* seed : {"1", "2", "3"}) {
    const auto found = nlohmann::json::parse(
        run_program({"simulate", "graph", "file=two.edges", "--routing", "up-down", "--traffic",
                     "matrix:file=w.csv", "--packet-flits", "16", "--switching", "wormhole",
                     "--find-saturation", "--seed", seed, "--json"},
                    folder.path)
            .output)["saturation"];
    EXPECT_NEAR(found["load"].get<double>(), 16.0 / 18, 0.02) << seed;
  }
}

/// Fifty pairs of neighbours send to each other, and one terminal to a neighbour that has a sender already:
/// each of the two is served half of the time, whatever the other 98 do.
TEST(SlowSimulate, ASourceAmongManyThatFallsBehindSaturates) {
  const TemporaryFolder folder;
  std::string rows;
  for (int source = 0; source < 100; ++source) {
    const int destination = source == 2 ? 1 : source ^ 1;
    for (int to = 0; to < 100; ++to) rows += to == destination ? "1," : "0,";
    rows.back() = '\n';
  }
  (void)folder.file("w.csv", rows);
  for (const char* switching : {"vct", "wormhole"}) {
    std::vector<std::string> asked{"simulate",       "mesh", "radix=10x10", "--traffic", "matrix:file=w.csv",
                                   "--packet-flits", "16",   "--switching", switching,   "--json"};
    const auto at = [&](const char* load) {
      std::vector<std::string> one = asked;
      one.insert(one.end(), {"--load", load, "--cycles", "40000"});
      return nlohmann::json::parse(run_program(one, folder.path).output)["saturated"].get<bool>();
    };
    EXPECT_FALSE(at("0.45")) << switching;
    EXPECT_TRUE(at("0.6")) << switching;
    asked.emplace_back("--find-saturation");
    const auto found = nlohmann::json::parse(run_program(asked, folder.path).output);
    EXPECT_NEAR(found["saturation"]["load"].get<double>(), 0.5, 0.04) << switching;
  }
}

/// Sources that learn are told of static faults in the first cycle: nothing changes later.
TEST(SlowSimulate, SaturationIsSoughtInLongerRunsWithStaticFaults) {
  const auto found = nlohmann::json::parse(
      run_program({"simulate", "mesh", "radix=4x4", "--routing", "ft-drb", "--faults", "2", "--seed", "2",
                   "--packet-flits", "8", "--find-saturation", "--json"})
          .output)["saturation"];
  EXPECT_FALSE(found["settled"].is_null());
}

TEST(Verify, ATerminalThatNothingLeadsToIsNotCutOffByFaults) {
  const TemporaryFolder folder;
  (void)folder.file("silent.edges", "terminal T\nterminal U\nT -> A\nU A\n");
  const Outcome outcome = run_program({"verify", "graph", "file=silent.edges"}, folder.path);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("U -> T"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("cut off")));
}

/// A terminal without channels, or with channels in one direction only.
TEST(Resilience, CountsTerminalsThatAreNotConnected) {
  const TemporaryFolder folder;
  (void)folder.file("alone.edges", "switch a\nswitch b\nterminal x\nterminal y\nterminal z\na x\na b\nb y\n");
  (void)folder.file("mute.edges", "switch a\nswitch b\nterminal x\nterminal y\nx -> a\ny -> b\na b\n");
  for (const char* routing : {"up-down", "lash"})
    for (const char* unit : {"channel", "link", "switch", "terminal"}) {
      const auto ask = [&](const std::string& file, const std::string& method) {
        return nlohmann::json::parse(
            run_program({"resilience", "graph", "file=" + file, "--routing", routing, "--unit", unit,
                         "--scope", "all", "--faults", "0", method, "--json"},
                        folder.path)
                .output);
      };
      for (const char* method : {"--exhaustive", "--exact"}) {
        EXPECT_EQ(ask("alone.edges", method)["by_faults"][0]["intolerable_fraction"], 1) << routing << unit;
        EXPECT_EQ(ask("mute.edges", method)["by_faults"][0]["connected_pairs_fraction"], 0)
            << routing << unit;
      }
      EXPECT_EQ(ask("alone.edges", "--exhaustive")["pairs_lost_without_faults"], 4) << routing << unit;
    }
}

TEST(Resilience, WithoutComponentsNothingFails) {
  const TemporaryFolder folder;
  (void)folder.file("star.edges", "switch a\nterminal x\nterminal y\na x\na y\n");
  const Outcome outcome =
      run_program({"resilience", "graph", "file=star.edges", "--unit", "link", "--failing-set"}, folder.path);
  EXPECT_THAT(outcome.output, HasSubstr("none of 0 sets"));
}

TEST(Topology, NeedsASwitch) {
  const TemporaryFolder folder;
  (void)folder.file("none.edges", "terminal x\nterminal y\n");
  for (const char* verb : {"verify", "topology", "resilience"}) {
    const Outcome outcome = run_program({verb, "graph", "file=none.edges"}, folder.path);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("must have a switch"));
  }
}

TEST(Topology, ASwitchWithOneChannelHasNoTable) {
  const auto memory = json_answer({"topology", "mesh", "radix=2", "--vcs", "1"})["routing_memory"];
  EXPECT_EQ(memory["table_bits"], 0);
  EXPECT_TRUE(memory["crossover_switches"].is_null());
}

TEST(Resilience, ADisconnectedNetworkIsNeverUp) {
  const TemporaryFolder folder;
  (void)folder.file("islands.edges", "a b\nc d\n");
  for (const std::string unit : {"channel", "link"})
    for (const std::string method : {"--exhaustive", "--samples=500"}) {
      const std::string output =
          run_program({"resilience", "graph", "file=islands.edges", "--unit", unit, "--faults", "1", method,
                       "--failure-rate", "0.01", "--repair-time", "1", "--json"},
                      folder.path)
              .output;
      const auto found = nlohmann::json::parse(output)["reliability"];
      EXPECT_EQ(found["unavailability"], 1) << output;
      EXPECT_EQ(found["availability"], 0) << output;
      EXPECT_EQ(found["method"], "exhaustive")
          << output;  // of so few components, also where sets are asked for
      EXPECT_TRUE(found.value("mean_hours_to_intolerable", nlohmann::json()).is_null()) << output;
      EXPECT_TRUE(found.value("mean_up_hours", nlohmann::json()).is_null()) << output;
      EXPECT_TRUE(found["importance"].empty()) << output;
    }
}

TEST(Resilience, CountsEachSetThatIsDrawnWhereFaultsLieCloseTogether) {
  const Outcome outcome = run_program({"resilience", "mesh", "radix=6", "--unit", "link", "--faults", "1",
                                       "--placement", "clustered", "--radius", "1", "--samples", "1234"});
  EXPECT_THAT(outcome.output, HasSubstr("        1234   "));
  EXPECT_THAT(outcome.output, HasSubstr("clustered"));
}

TEST(Simulate, LoadsAreOfTheTerminalsThatSend) {
  const std::vector<std::string> asked{
      "simulate",  "torus",          "radix=4x4", "--routing", "dimension-order", "--traffic",
      "transpose", "--packet-flits", "8",         "--cycles",  "20000",           "--find-saturation"};
  const Outcome outcome = run_program(asked);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("only 75 % of the terminals send"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("above what channel bandwidth allows")));
  EXPECT_THAT(outcome.output, HasSubstr("routing dimension-order"));
}

TEST(Simulate, ARangeHasAListOfAnswersHoweverManyValuesItHolds) {
  const auto answer = [](const std::string& load) {
    return json_answer({"simulate", "mesh", "radix=2x2", "--load", load, "--cycles", "500"});
  };
  EXPECT_TRUE(answer("0.2").is_object());
  EXPECT_EQ(answer("0.2")["load"], 0.2);
  const auto list = answer("0.2..0.2:0.1");
  ASSERT_TRUE(list.is_array());
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(answer("0.2,0.2").size(), 2U);
  EXPECT_EQ(answer("0.1..0.2:0.1").size(), 2U);
}

TEST(Threads, MoreThanThereAreProcessorsAreNoReasonForAWarning) {
  const Outcome outcome = run_program(
      {"resilience", "ft-ruft-222", "k=2", "n=2", "--faults", "3", "--samples", "1000", "--jobs", "64"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Topology, RegistersAreAsWideAsAddresses) {
  // Paper 5, section 5: d * v * (3 * bits + 2 * d * v), and 2 * d * v more.
  const auto cube = json_answer({"topology", "hypercube", "n=6"})["routing_memory"];
  EXPECT_EQ(cube["ports"], 6);
  EXPECT_EQ(cube["fir_bits"], 18 * (3 * 6 + 2 * 18));
  EXPECT_EQ(cube["ft_fir_bits"], 18 * (3 * 6 + 2 * 18) + 2 * 18);
  const auto pairs = json_answer({"topology", "torus", "radix=2x2"})["routing_memory"];
  EXPECT_EQ(pairs["ft_fir_bits"], 12 * (3 * 2 + 2 * 12) + 2 * 12)
      << "two links a dimension, 3 virtual channels";
  const auto mesh = json_answer({"topology", "mesh", "radix=3x3x3", "--vcs", "1"})["routing_memory"];
  EXPECT_EQ(mesh["fir_bits"], 6 * (3 * 6 + 2 * 6)) << "two bits for each coordinate";
}

}  // namespace
}  // namespace faultline
