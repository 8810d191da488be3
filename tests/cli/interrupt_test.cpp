// SPDX-License-Identifier: Apache-2.0
// Is what a long run computed kept when somebody loses patience?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "faultline/base/file.h"
#include "faultline/results/store.h"
#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

/// Signalled later and later, until it was late enough for the first results.
Outcome interrupted(const std::vector<std::string>& arguments, int signal,
                    const std::function<bool(const Outcome&)>& late_enough) {
  for (int milliseconds = 300;; milliseconds *= 2) {
    Outcome outcome = run_and_signal(arguments, ".", milliseconds, signal);
    if (milliseconds > 10'000 || late_enough(outcome)) return outcome;
  }
}

class Interrupt : public testing::TestWithParam<int> {};

TEST_P(Interrupt, FinishedPointsAndThePartialOneArePrinted) {
  const Outcome outcome = interrupted(
      {"resilience", "ruft", "k=4", "n=3", "--faults", "1,12", "--samples", "1000000000000", "--json"},
      GetParam(), [](const Outcome& o) {
        return o.code == 1 && nlohmann::json::parse(o.output)["by_faults"].size() == 2;
      });
  ASSERT_EQ(outcome.code, 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, testing::HasSubstr("interrupted"));
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(result["interrupted"], true);
  ASSERT_EQ(result["by_faults"].size(), 2U);
  EXPECT_EQ(result["by_faults"][0]["exhaustive"], true);
  const auto& partial = result["by_faults"][1];
  EXPECT_GT(partial["sets"], 0U);
  EXPECT_LT(partial["sets"], 1000000000000U);
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM));

TEST_P(Interrupt, AStudyKeepsFinishedCasesAndNoHalfOnes) {
  const TemporaryFolder folder;
  const std::string file = (folder.path / "s.toml").string(), results = (folder.path / "s.db").string();
  write_file(file,
             "[[experiment]]\nverb = \"resilience\"\ntopology = \"ruft:k=4,n=3\"\nfaults = [12]\n"
             "samples = [100, 1000000000000]\n",
             "test");
  const auto kept = [&] {
    return std::filesystem::exists(results) ? ResultsStore(results, ResultsStore::Mode::read).all().size()
                                            : 0U;
  };
  const Outcome outcome = interrupted({"study", file, "--results", results, "--jobs", "1"}, GetParam(),
                                      [&](const Outcome& o) { return o.code == 1 && kept() == 1; });
  EXPECT_EQ(outcome.code, 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, testing::HasSubstr("goes on where this one stopped"));
  EXPECT_EQ(kept(), 1U);
}

TEST(Uninterrupted, AFinishedRunSaysThatItIs) {
  const Outcome outcome = run_program({"resilience", "ruft", "k=2", "n=2", "--faults", "1", "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["interrupted"], false);
}

}  // namespace
}  // namespace faultline
