// SPDX-License-Identifier: Apache-2.0
// Does `reproduce` print one finding for each claim, and keep what it computed?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

TEST(SlowReproduce, EveryClaimOfTheFirstPaperIsJudged) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"reproduce", "1-indirect-topologies", "--json"}, folder.path.string());
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto findings = nlohmann::json::parse(outcome.output);
  ASSERT_GT(findings.size(), 50U);
  for (const auto& finding : findings) {
    for (const char* key : {"claim", "source", "printed", "ours", "interval", "verdict"})
      ASSERT_TRUE(finding.contains(key)) << key;
    EXPECT_NE(finding["verdict"], "not computed") << finding.dump();
    // Counted (not measured) figures have no reason to differ.
    if (finding["interval"].is_null()) {
      EXPECT_EQ(finding["verdict"], "agrees") << finding.dump();
    } else {
      EXPECT_NE(finding["verdict"], "differs") << finding.dump();
    }
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path / "1-indirect-topologies.db"));
  const Outcome again =
      run_program({"reproduce", "1-indirect-topologies", "--json", "--report", "--table", "table.md"},
                  folder.path.string());
  EXPECT_EQ(again.output, outcome.output);
  EXPECT_TRUE(std::filesystem::exists(folder.path / "table.md"));
  EXPECT_TRUE(std::filesystem::exists(folder.path / "1-indirect-topologies.html"));
}

TEST(SlowReproduce, WithoutAPaperAllAreListedWithTheirVerdicts) {
  const TemporaryFolder folder;
  const Outcome text = run_program({"reproduce"}, folder.path.string());
  EXPECT_EQ(text.code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("1-degradation-512"));
  const auto papers =
      nlohmann::json::parse(run_program({"reproduce", "--json"}, folder.path.string()).output);
  ASSERT_GT(papers.size(), 5U);
  for (const auto& paper : papers) {
    EXPECT_GT(paper["statements"], 0) << paper["paper"];
    EXPECT_EQ(paper["statements"], paper["verdicts"]["not_computed"]) << paper["paper"];
    EXPECT_TRUE(paper["results"].is_null());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(Reproduce, WhatConcernsOnePaperIsRefusedForAll) {
  for (const char* option : {"--table", "--results"}) {
    const Outcome outcome = run_program({"reproduce", "all", option, "x"});
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.errors, HasSubstr("one paper")) << option;
  }
}

TEST(Reproduce, WhatWouldNotBeWrittenIsRefused) {
  const TemporaryFolder folder;
  const auto errors = [&](std::vector<std::string> options) {
    options.insert(options.begin(), "reproduce");
    const Outcome outcome = run_program(options, folder.path.string());
    EXPECT_EQ(outcome.code, 2);
    return outcome.errors;
  };
  EXPECT_THAT(errors({"--stored", "--table", "x.md"}), HasSubstr("must be used with a paper"));
  EXPECT_THAT(errors({"--stored"}), HasSubstr("stored = 'true': must be used with a paper, or all"));
  EXPECT_THAT(errors({"--results", "r.db"}), HasSubstr("results = 'r.db': must be used with a paper"));
  EXPECT_THAT(errors({"1-indirect-topologies", "--long"}), HasSubstr("long = 'true': must be used with all"));
  EXPECT_THAT(errors({"--report", "-o", "r.html"}), HasSubstr("with a paper, or all"));
  EXPECT_THAT(errors({"1-indirect-topologies", "--stored", "-o", "r.html"}),
              HasSubstr("must be used with report"));
}

/// The findings are printed all the same; the 35 cases, of 20 networks, fail alike for each of these.
TEST(Reproduce, EndsInFailureWhenACaseFailed) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program_with(
      {"FAULTLINE_KERNEL=abacus"}, {"reproduce", "1-fault-tolerance", "--json"}, folder.path.string());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 20) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr(" (2 cases)\n"));
  EXPECT_THAT(nlohmann::json::parse(outcome.output),
              testing::Contains(testing::ResultOf(
                  [](const nlohmann::json& finding) { return finding["verdict"]; }, "not computed")));
}

TEST(Reproduce, AnUnknownPaperIsRefusedWithTheKnownOnes) {
  const Outcome outcome = run_program({"reproduce", "1-indirect-topologie"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("did you mean '1-indirect-topologies'"));
  EXPECT_THAT(run_program({"reproduce", "nonsense"}).errors, HasSubstr(", all"));
}

}  // namespace
}  // namespace faultline
