// SPDX-License-Identifier: Apache-2.0
// Does the program say what the paper's tables say?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

struct Design {
  std::string name;
  /// Paper 1, Table 2: tolerated faults of network and of injection and ejection channels, at arity k.
  std::uint32_t (*network)(std::uint32_t k);
  std::uint32_t terminal;

  friend void PrintTo(const Design& design, std::ostream* out) { *out << design.name; }
};

class Table2 : public testing::TestWithParam<Design> {};

TEST_P(Table2, ToleratedFaults) {
  for (const std::uint32_t k : {2U, 4U, 8U, 16U}) {
    const std::string arity = "k=" + std::to_string(k);
    for (const char* unit : {"channel", "link"}) {
      const auto network =
          json_answer({"resilience", GetParam().name, arity, "n=3", "--scope", "network", "--unit", unit});
      EXPECT_EQ(network["tolerated_faults"], GetParam().network(k)) << arity << unit;
      EXPECT_TRUE(network["tolerated_exact"].get<bool>());
      EXPECT_EQ(network["witness"].size(), GetParam().network(k) + 1);
      EXPECT_EQ(json_answer({"resilience", GetParam().name, arity, "n=3", "--scope", "terminal", "--unit",
                             unit})["tolerated_faults"],
                GetParam().terminal)
          << arity << unit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SlowDesigns, Table2,
                         testing::Values(Design{"fat-tree", [](std::uint32_t k) { return k - 1; }, 0},
                                         Design{"ruft", [](std::uint32_t) { return 0U; }, 0},
                                         Design{"ruft-pl", [](std::uint32_t) { return 1U; }, 1},
                                         Design{"ft-ruft-212", [](std::uint32_t) { return 3U; }, 1},
                                         Design{"ft-ruft-222", [](std::uint32_t) { return 7U; }, 1}),
                         [](const auto& design) {
                           std::string name = design.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Texts, AgreeInNumber) {
  const auto text = [](const std::vector<std::string>& words) { return run_program(words).output; };
  EXPECT_THAT(text({"verify", "mesh", "radix=2", "--unit", "link", "--all-faults-up-to", "1"}),
              testing::HasSubstr("the only set: 1 leaves some pair unserved, 0 not free"));
  EXPECT_THAT(text({"resilience", "mesh", "radix=2", "--unit", "channel", "--faults", "1", "--adversary"}),
              testing::HasSubstr("the worst fault loses 1 pair\n"));
}

/// Of two pairs one is served; packets of the other may go to and fro before they arrive.
TEST(Texts, SharesOfPacketsFollowedMakeUpAll) {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "three.relation",
      "faultline-relation 1\nnetwork -\nswitches 3\nterminals 2\nvirtual-channels 1\ntags 1\nreads tag\n"
      "channels 8\nn 0 1\nn 1 0\nn 1 2\ni 0 0\ni 1 1\ne 0 0\ne 1 1\ne 2 1\n"
      "destination 0\nfrom 1 4\ns 0 0 5\ns 1 0 1\n"
      "destination 1\nfrom 0 3\ns 0 0 0\ns 1 0 1 2\ns 2 0 7\nend\n");
  EXPECT_THAT(run_program({"resilience", "relation", "file=" + path, "--faults", "0", "--follow", "1",
                           "--knowledge", "neighbours"})
                  .output,
              testing::ContainsRegex("served +likely +any path.*\n +0 +1 +50 % +50 % +100 % +0 % +0 % +0 %"));
}

TEST(SwitchFaults, AreToleratedByCrossedAttachmentOnly) {
  // Paper 1, section 5.2.
  const auto tolerated = [](const char* design) {
    return json_answer(
               {"resilience", design, "k=4", "n=3", "--unit", "switch", "--scope", "all"})["tolerated_faults"]
        .get<int>();
  };
  EXPECT_GE(tolerated("ft-ruft-212"), 1);
  EXPECT_GE(tolerated("ft-ruft-222"), 1);
  EXPECT_EQ(tolerated("ruft-pl"), 0);
  const auto tree = json_answer(
      {"resilience", "fat-tree", "k=4", "n=3", "--unit", "switch", "--scope", "all", "--faults", "1"});
  EXPECT_EQ(tree["tolerated_faults"], 0);
  // "FTA does not tolerate faults in the first stage switches": the 16 of 48, and no others.
  EXPECT_EQ(tree["by_faults"][0]["intolerable_sets"], "16");
}

/// Every dead switch of a torus takes its terminal along, so no set leaves the network connected.
TEST(SwitchFaults, AreNotToleratedWhereEverySetDisconnectsTheNetwork) {
  const auto torus = json_answer(
      {"resilience", "torus", "radix=4x4", "--routing", "methodology", "--unit", "switch", "--faults", "1"});
  EXPECT_EQ(torus["tolerated_faults"], 0);
  EXPECT_EQ(torus["tolerated_if_connected"], true);
  EXPECT_TRUE(torus["critical"][0]["cut_share"].is_null());
  EXPECT_TRUE(torus["by_faults"][0]["unserved_fraction"].is_null());
  EXPECT_THAT(run_program({"resilience", "torus", "radix=4x4", "--routing", "methodology", "--unit", "switch",
                           "--faults", "1"})
                  .output,
              testing::HasSubstr("1 fault: all sets (16) disconnect the network"));
  const auto links =
      json_answer({"resilience", "torus", "radix=3x3", "--routing", "methodology", "--unit", "link"});
  EXPECT_EQ(links["tolerated_faults"], 4);
  EXPECT_EQ(links["tolerated_if_connected"], true);
}

TEST(Resilience, ListsMinimumCutsAndTheWorstFaults) {
  const auto tree =
      json_answer({"resilience", "fat-tree", "k=4", "n=3", "--cuts", "5", "--adversary", "--faults", "3,4"});
  EXPECT_EQ(tree["minimum_cuts"]["size"], 4);
  EXPECT_EQ(tree["minimum_cuts"]["count"], "3392");
  EXPECT_EQ(tree["minimum_cuts"]["listed"].size(), 5U);
  EXPECT_EQ(tree["minimum_cuts"]["listed"][0].size(), 4U);
  EXPECT_EQ(tree["by_faults"][0]["worst_faults"]["pairs_lost"], 0);
  const auto& worst = tree["by_faults"][1]["worst_faults"];
  EXPECT_EQ(worst["pairs_lost"], 240);
  EXPECT_EQ(worst["bound"], 240);
  EXPECT_EQ(worst["exact"], true);
  EXPECT_EQ(worst["components"].size(), 4U);
  const auto plain = json_answer({"resilience", "fat-tree", "k=2", "n=2", "--faults", "1"});
  EXPECT_FALSE(plain.contains("minimum_cuts"));
  EXPECT_FALSE(plain["by_faults"][0].contains("worst_faults"));
}

TEST(Resilience, MixedUnitsFailTogether) {
  // 4 links and 4 switches: a first-stage switch takes its terminals with it, a link disconnects nothing.
  const auto mixed =
      json_answer({"resilience", "fat-tree", "k=2", "n=2", "--unit", "link+switch", "--faults", "1"});
  EXPECT_EQ(mixed["unit"], "link+switch");
  EXPECT_EQ(mixed["components"], 8);
  EXPECT_EQ(mixed["by_faults"][0]["intolerable_sets"], "2");
}

TEST(Resilience, CountsExactlyWhereRoutingsAreComputedAnew) {
  // A mesh of 3 x 3: a corner has two links.
  const auto mesh = json_answer({"resilience", "mesh", "radix=3x3", "--routing", "up-down", "--unit", "link",
                                 "--cuts", "9", "--exact", "--samples", "1", "--faults", "2"});
  EXPECT_EQ(mesh["minimum_cuts"]["count"], "4");
  EXPECT_EQ(mesh["minimum_cuts"]["listed"].size(), 4U);
  EXPECT_EQ(mesh["by_faults"][0]["intolerable_sets"], "4");
  EXPECT_EQ(mesh["by_faults"][0]["sets_total"], "66");
}

TEST(Resilience, EvaluatesAllSetsWhereTheyAreFew) {
  for (const char* method : {"--exact", "--rare"}) {
    const auto two = json_answer({"resilience", "ft-ruft-222", "k=2", "n=2", "--unit", "switch", "--faults",
                                  "2", method})["by_faults"][0];
    EXPECT_EQ(two["sets"], 6) << method;
    EXPECT_EQ(two["exhaustive"], true) << method;
    EXPECT_DOUBLE_EQ(two["connected_pairs_fraction"].get<double>(), 2.0 / 3) << method;
  }
}

/// In a torus with dimension order each of the 36 channels is the only way of some pair.
TEST(Resilience, CountsAllCriticalComponentsAndSaysWhatItAssumes) {
  EXPECT_EQ(json_answer({"resilience", "torus", "radix=3x3"})["critical_count"], 36);
  const Outcome text = run_program({"resilience", "torus", "radix=3x3"});
  EXPECT_NE(text.output.find("… and 28 more"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("every switch knows all dead channels (knowledge all)"), std::string::npos)
      << text.output;
}

TEST(Resilience, WithoutFaultCountsSaysWhatIsTolerated) {
  EXPECT_TRUE(json_answer({"resilience", "ruft", "k=2", "n=2"})["by_faults"].empty());
}

TEST(Resilience, SaysHowTheMeanTimeToFailureWasFound) {
  const auto text = [](std::vector<std::string> asked) {
    asked.insert(asked.begin(), "resilience");
    asked.insert(asked.end(), {"--failure-rate", "1e-3"});
    return run_program(asked).output;
  };
  EXPECT_THAT(text({"switch-ring", "n=4", "--unit", "switch"}), testing::HasSubstr("583.333 (exact) hours"));
  EXPECT_THAT(text({"switch-ring", "n=30", "--unit", "switch"}),
              testing::HasSubstr("; 10000 histories drawn"));
  EXPECT_THAT(text({"switch-ring", "n=30", "--unit", "switch", "--samples", "300"}),
              testing::HasSubstr("; 300 histories drawn"));
  EXPECT_THAT(text({"switch-ring", "n=3", "--unit", "link"}),
              testing::HasSubstr("always: no set of faults disconnects a pair"));
}

TEST(Resilience, SaysThatTheMeanUpTimeIsNotKnown) {
  const Outcome outcome = run_program({"resilience", "switch-ring", "n=6", "--unit", "link", "--scope", "all",
                                       "--failure-rate", "0.02", "--repair-time", "100", "--samples", "20"});
  EXPECT_THAT(outcome.output, testing::HasSubstr("mean up time           unknown"));
}

TEST(Resilience, SaysHowLittleIsKnownOfTheMeanUpTime) {
  const Outcome outcome = run_program({"resilience", "switch-ring", "n=6", "--unit", "link", "--scope", "all",
                                       "--failure-rate", "0.02", "--repair-time", "100"});
  EXPECT_THAT(outcome.output,
              testing::ContainsRegex("mean up time           [0-9.]+ \\(at least [0-9.]+\\) hours"));
}

/// A ring of five switches with an adapter each, as ibnetdiscover prints it.
std::string ring_dump() {
  std::string dump;
  for (int i = 0; i < 5; ++i)
    dump += fmt::format(
        "switchguid=0xa{0}(a{0})\nSwitch\t3 \"S-00000000000000a{0}\"\t\t# \"s{0}\" base port 0 lid {1} lmc "
        "0\n"
        "[1]\t\"S-00000000000000a{2}\"[2]\n[2]\t\"S-00000000000000a{3}\"[1]\n[3]\t\"H-00000000000000c{0}\"[1]"
        "(d{0})\n\n"
        "caguid=0xc{0}\nCa\t1 \"H-00000000000000c{0}\"\t\t# \"h{0}\"\n"
        "[1](d{0}) \t\"S-00000000000000a{0}\"[3]\t\t# lid {4} lmc 0 \"s{0}\" lid {1} 4xQDR\n\n",
        i, i + 1, (i + 1) % 5, (i + 4) % 5, i + 11);
  return dump;
}

TEST(Verify, SaysThatTablesCanDeadlock) {
  const TemporaryFolder folder;
  const std::string dump = "file=" + folder.file("ring.ib", ring_dump());
  const auto tables_of = [&](const char* routing) {
    const Outcome outcome = run_program(
        {"verify", "fabric", dump, "--routing", routing, "--tables-out", (folder.path / "t").string()});
    return outcome.output.substr(outcome.output.find("  tables "));
  };
  EXPECT_THAT(tables_of("shortest-path"), testing::HasSubstr("packets that these tables route can deadlock"));
  EXPECT_THAT(tables_of("up-down"), testing::Not(testing::HasSubstr("deadlock")));
}

/// Nothing is known of what fails later: the file's options of higher tiers stay.
/// Several values of an option: the answers differ, and say for what.
TEST(Verify, SaysWhatItAssumes) {
  const std::vector<std::string> ring{
      "verify",      "torus",       "radix=4x4", "--routing", "dimension-order:ring_rule=bubble",
      "--switching", "vct,wormhole"};
  std::vector<std::string> with_json = ring;
  with_json.emplace_back("--json");
  const auto answers = nlohmann::json::parse(run_program(with_json).output);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["switching"], "vct");
  EXPECT_TRUE(answers[0]["holds"].get<bool>());
  EXPECT_EQ(answers[1]["switching"], "wormhole");
  EXPECT_FALSE(answers[1]["holds"].get<bool>());
  EXPECT_TRUE(answers[0]["selection"].is_null());
  EXPECT_THAT(run_program(ring).output,
              testing::AllOf(testing::HasSubstr("virtual cut-through (switching vct)\n"),
                             testing::HasSubstr("wormhole (switching wormhole)\n")));
  const Outcome faults = run_program({"verify", "fat-tree", "k=2", "n=2", "--knowledge", "none,all",
                                      "--faults", "1", "--selection", "random"});
  EXPECT_THAT(faults.output,
              testing::AllOf(testing::HasSubstr("no switch knows which channels are dead (knowledge none)"),
                             testing::HasSubstr("every switch knows all dead channels (knowledge all)"),
                             testing::HasSubstr("selection random")));
}

/// 16 of the 35960 sets of 4 links cut a switch off: few draws find none of them.
TEST(Verify, SaysWhereFaultSetsWereOnlyDrawn) {
  const auto verify = [](const char* faults) {
    return run_program({"verify", "torus", "radix=4x4", "--routing", "up-down", "--unit", "link",
                        "--all-faults-up-to", faults, "--samples", "600"});
  };
  const Outcome all = verify("2"), drawn = verify("4");
  EXPECT_THAT(all.output, testing::AllOf(testing::HasSubstr(": holds\n"),
                                         testing::Not(testing::HasSubstr("of all sets"))));
  EXPECT_THAT(drawn.output,
              testing::AllOf(testing::HasSubstr(": holds for the fault sets drawn, which are not all\n"),
                             testing::HasSubstr("of all sets 0 … 0.6")));
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(drawn.code, 3) << "a script takes 0 for a proof";
}

TEST(Simulate, ARelationFileFailsInTimeAsTheRoutingThatItHolds) {
  const TemporaryFolder folder;
  const std::string schedule = (folder.path / "s").string(), relation = (folder.path / "r").string();
  const auto simulate = [&](const std::string& routing, std::vector<std::string> more) {
    std::vector<std::string> asked{
        "simulate",       "mikant", "k=3",      "n=2",  "--routing",   routing,    "--load", "0.1",
        "--packet-flits", "4",      "--cycles", "4000", "--selection", "any-free", "--force"};
    asked.insert(asked.end(), more.begin(), more.end());
    return json_answer(asked);
  };
  const auto first = simulate("all-port", {"--fault-process", "permanent:faults=3,unit=channel,from=500",
                                           "--schedule-out", schedule, "--relation-out", relation});
  const auto again = simulate("relation:file=" + relation, {"--schedule", schedule});
  for (const char* key : {"delivered", "in_flight", "dropped", "latency", "deadlock"})
    EXPECT_EQ(first[key], again[key]) << key;
}

/// One switch, four terminals: three send all to the fourth.
TEST(Simulate, AShortSearchForSaturationClaimsNothing) {
  const TemporaryFolder folder;
  const std::string star = "file=" + folder.file("star.edges",
                                                 "switch s\nterminal a\nterminal b\nterminal c\nterminal d\n"
                                                 "a s\nb s\nc s\nd s\n");
  const auto search = [&](const std::string& cycles) {
    return run_program({"simulate", "graph", star, "--traffic", "hot-spot:share=1", "--find-saturation",
                        "--cycles", cycles})
        .output;
  };
  EXPECT_THAT(search("100"), testing::AllOf(testing::HasSubstr("give more --cycles"),
                                            testing::Not(testing::HasSubstr("connected"))));
  EXPECT_THAT(search("2000"), testing::HasSubstr("above what channel bandwidth allows"));
  const std::string torus = run_program({"simulate", "torus", "radix=4x4", "--find-saturation",
                                         "--packet-flits", "16", "--cycles", "100"})
                                .output;
  EXPECT_THAT(torus, testing::HasSubstr("less was accepted than offered"));
}

TEST(SlowSimulate, SaysWhereTheThroughputFallsBeyondSaturation) {
  const auto search = [](std::initializer_list<std::string> options) {
    std::vector<std::string> arguments{"simulate",          "mesh",     "radix=4x4",
                                       "--find-saturation", "--cycles", "20000"};
    arguments.insert(arguments.end(), options);
    return run_program(arguments).output;
  };
  // Heads wait for an empty virtual channel, which one flit occupies until its credit is back.
  EXPECT_THAT(search({"--routing", "duato:adaptive_vcs=3", "--switching", "wormhole", "--packet-flits", "1"}),
              testing::HasSubstr("above which the throughput falls (to 0."));
  EXPECT_THAT(search({}), testing::HasSubstr("at a throughput of 0."));
}

TEST(Topology, CountsWhatIsNotConnected) {
  const TemporaryFolder folder;
  const std::string file =
      "file=" + folder.file("two.edges", "switch a\nswitch b\nterminal t\nterminal u\nt a\nu b\n");
  const Outcome outcome = run_program({"topology", "graph", file, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["unconnected_pairs"], 2);
  EXPECT_EQ(json["unconnected"], (nlohmann::json{"t", "u"}));
  EXPECT_TRUE(json["diameter"].is_null());
  EXPECT_EQ(json["bisection"], 0);
}

TEST(Verify, ALinkNamedFromItsOtherEndIsSuggested) {
  const TemporaryFolder folder;
  const std::string faults = folder.file("faults", "s1.0[1] - s0.0[0]\n");
  const Outcome outcome = run_program({"verify", "mesh", "radix=3x3", "--faults", faults, "--unit", "link"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("did you mean 's0.0[0] - s1.0[1]'"));
}

TEST(Simulate, RefusesASelectionThatTheRoutingIsNotProvedFor) {
  std::vector<std::string> asked{
      "simulate", "mesh",     "radix=4x4", "--routing",   "duato",    "--selection",    "random", "--load",
      "0.2",      "--cycles", "20000",     "--switching", "wormhole", "--packet-flits", "8"};
  const Outcome refused = run_program(asked);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.errors.find("escape channels"), std::string::npos) << refused.errors;
  EXPECT_NE(refused.errors.find("force"), std::string::npos) << refused.errors;
  asked.emplace_back("--force");
  EXPECT_NE(run_program(asked).output.find("warning: not proved free of deadlock"), std::string::npos);
  const auto forced = json_answer(asked);
  EXPECT_TRUE(forced.contains("unproved"));
  EXPECT_EQ(forced["engine"], "wormhole, vector lanes");
  const Outcome verdict =
      run_program({"verify", "mesh", "radix=4x4", "--routing", "duato", "--selection", "random"});
  EXPECT_EQ(verdict.code, 3);
}

/// verify shows a deadlock of duato with these channels dead, each known to its own switch: they may as well
/// fail during a run, which then is not called proved.
TEST(Simulate, SaysThatEscapeChannelsMayFailDuringTheRun) {
  const TemporaryFolder folder;
  const std::vector<std::string> dead{"s0.0[0] -> s1.0[1]", "s1.0[2] -> s1.1[3]", "s0.1[1] -> s3.1[0]",
                                      "s3.2[1] -> s2.2[0]", "s2.3[3] -> s2.2[2]", "s0.2[1] -> s3.2[0]",
                                      "s0.3[0] -> s1.3[1]", "s1.3[1] -> s0.3[0]", "s2.3[1] -> s1.3[0]"};
  std::string schedule, faults;
  for (const std::string& channel : dead) {
    schedule += "1,down," + channel + "\n";
    faults += channel + "\n";
  }
  const std::vector<std::string> network{"torus",       "radix=4x4", "--routing", "duato",
                                         "--switching", "wormhole",  "--seed",    "12"};
  std::vector<std::string> verified{"verify"};
  verified.insert(verified.end(), network.begin(), network.end());
  const std::vector<std::string> known{
      "--faults", folder.file("faults", faults), "--unit", "channel", "--knowledge", "neighbours", "--json"};
  verified.insert(verified.end(), known.begin(), known.end());
  EXPECT_EQ(nlohmann::json::parse(run_program(verified).output)["method"], "deadlock");

  std::vector<std::string> simulated{"simulate"};
  simulated.insert(simulated.end(), network.begin(), network.end());
  for (const char* word : {"--load", "1", "--packet-flits", "8", "--buffer-flits", "8", "--cycles"})
    simulated.emplace_back(word);
  simulated.emplace_back("2000");
  EXPECT_FALSE(json_answer(simulated).contains("unproved"));
  simulated.back() = "30000";
  simulated.emplace_back("--schedule");
  simulated.push_back(folder.file("schedule.csv", schedule));
  const auto json = json_answer(simulated);
  EXPECT_EQ(json["deadlock"], true);
  ASSERT_TRUE(json.contains("unproved"));
  EXPECT_THAT(json["unproved"].get<std::string>(), testing::HasSubstr("escape channels, which may fail"));
}

/// One proof for every agent: pairs that a planning source refuses may be named as a deadlock.
TEST(Answers, SayThatDeadlockIsJudgedForPlansThatLose) {
  const std::vector<std::string> asked{"verify",   "mikant",      "k=2",        "n=2",      "--routing",
                                       "one-port", "--knowledge", "neighbours", "--faults", "1"};
  const auto text = [&](const char* source) {
    std::vector<std::string> words = asked;
    words.insert(words.end(), {"--source", source});
    return run_program(words).output;
  };
  EXPECT_THAT(text("plan"), testing::HasSubstr("deadlock and livelock are judged for every option"));
  EXPECT_THAT(text("any"), testing::Not(testing::HasSubstr("deadlock and livelock are judged")));
}

}  // namespace
}  // namespace faultline
