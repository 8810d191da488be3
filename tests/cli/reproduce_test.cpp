// SPDX-License-Identifier: Apache-2.0
// Does `reproduce` print one finding for each claim, and keep what it computed?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    // What is counted and not measured has no reason to differ.
    if (finding["interval"].is_null()) {
      EXPECT_EQ(finding["verdict"], "agrees") << finding.dump();
    } else {
      EXPECT_NE(finding["verdict"], "differs") << finding.dump();
    }
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path / "1-indirect-topologies.db"));
  EXPECT_EQ(run_program({"reproduce", "1-indirect-topologies", "--json"}, folder.path.string()).output,
            outcome.output);
}

TEST(Reproduce, AnUnknownPaperIsRefusedWithTheKnownOnes) {
  const Outcome outcome = run_program({"reproduce", "1-indirect-topologie"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("did you mean '1-indirect-topologies'"));
}

}  // namespace
}  // namespace faultline
