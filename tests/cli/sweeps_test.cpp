// SPDX-License-Identifier: Apache-2.0
// Is it clear which case each line of a sweep's answer belongs to?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace faultline {
namespace {

std::string text_answer(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  return outcome.output;
}

/// The parts of a text that begin with these words, each up to the next.
std::vector<std::string> parts(const std::string& text, const std::string& beginning) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(beginning); at != std::string::npos;) {
    const std::size_t next = text.find(beginning, at + 1);
    found.push_back(text.substr(at, next == std::string::npos ? next : next - at));
    at = next;
  }
  return found;
}

TEST(Sweeps, HaveATableForAllThatDifferOnlyInTheLoad) {
  const std::vector<std::string> tables =
      parts(text_answer({"simulate", "mesh", "radix=2x2", "--traffic", "uniform,transpose", "--load",
                         "0.2,0.3", "--packet-flits", "8", "--cycles", "20000"}),
            "mesh:");
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_THAT(tables[0], testing::HasSubstr("traffic uniform\n"));
  EXPECT_THAT(tables[0], testing::Not(testing::HasSubstr("of the terminals send")));
  EXPECT_THAT(tables[0], testing::HasSubstr("at most 1.0000"));
  EXPECT_THAT(tables[1], testing::HasSubstr("traffic transpose\n"));
  EXPECT_THAT(tables[1], testing::HasSubstr("only 50 % of the terminals send"));
  EXPECT_THAT(tables[1], testing::HasSubstr("at most 0.5000"));
  for (const std::string& table : tables) EXPECT_EQ(parts(table, "\n   0.").size(), 2U) << table;
}

/// Scripts take the answers for the values that they gave, in their order.
TEST(Sweeps, AnswerEveryValueOfAList) {
  const auto answers = json_answer(
      {"simulate", "mesh", "radix=2x2", "--load", "0.3,0.1,0.3", "--packet-flits", "8", "--cycles", "2000"});
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["load"], 0.3);
  EXPECT_EQ(answers[1]["load"], 0.1);
  EXPECT_EQ(answers[2]["load"], 0.3);
  EXPECT_EQ(answers[2]["delivered"], answers[0]["delivered"]);
}

/// A range does not promise its last value: steps may pass over it.
TEST(Sweeps, SayWhenTheLastValueOfARangeIsIncluded) {
  const std::vector<std::vector<std::string>> helps{{"simulate", "--help"}, {"resilience", "--help"}};
  for (const std::vector<std::string>& help : helps) {
    std::istringstream words(text_answer(help));  // which are broken into lines
    std::string text;
    for (std::string word; words >> word;) text += word + " ";
    EXPECT_THAT(text, testing::HasSubstr("(the last value is included if the steps reach it)")) << help[0];
  }
  const auto answer = json_answer({"resilience", "mesh", "radix=2x2", "--faults", "0..5:2"});
  std::vector<int> faults;
  for (const auto& point : answer["by_faults"]) faults.push_back(point["faults"]);
  EXPECT_EQ(faults, (std::vector{0, 2, 4}));
}

TEST(Sweeps, WarnOfEveryNetworkThatMayDeadlock) {
  for (const std::string order : {"vct,wormhole", "wormhole,vct"}) {
    const std::vector<std::string> tables =
        parts(text_answer({"simulate", "torus", "radix=4x4", "--load", "0.1", "--packet-flits", "8",
                           "--routing", "dimension-order:ring_rule=bubble", "--switching", order, "--force",
                           "--cycles", "5000"}),
              "torus:");
    ASSERT_EQ(tables.size(), 2U) << order;
    for (const std::string& table : tables)
      EXPECT_EQ(table.find("switching wormhole") != std::string::npos,
                table.find("not proved free of deadlock") != std::string::npos)
          << table;
  }
}

/// No packet is delivered in ten cycles: its latency is unknown, and not 0.
TEST(Sweeps, FiguresOfPacketsThatWereNotMeasuredAreUnknown) {
  const std::vector<std::string> command{"simulate", "mesh", "radix=2x2", "--load", "0.1", "--cycles", "10"};
  std::vector<std::string> as_json = command;
  as_json.push_back("--json");
  const auto answer = json_answer(as_json);
  for (const char* figure : {"mean", "interval", "p50", "p99", "network_mean"})
    EXPECT_TRUE(answer["latency"][figure].is_null()) << figure;
  EXPECT_TRUE(answer["hops_mean"].is_null());
  EXPECT_THAT(text_answer(command), testing::ContainsRegex(" 0.0000   - +- +- +- "));
}

}  // namespace
}  // namespace faultline
