// SPDX-License-Identifier: Apache-2.0
// Does an interrupted run keep what it computed?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/results/store.h"
#include "program.h"
#include "support/effort.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

constexpr int busy_machine = 5;  // seconds, where one is meant: tests run beside each other

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
        return !o.output.empty() && nlohmann::json::parse(o.output)["by_faults"].size() == 2;
      });
  ASSERT_EQ(outcome.code, 128 + GetParam()) << outcome.errors;
  EXPECT_THAT(outcome.errors, testing::HasSubstr("interrupted"));
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(result["interrupted"], true);
  ASSERT_EQ(result["by_faults"].size(), 2U);
  EXPECT_EQ(result["by_faults"][0]["exhaustive"], true);
  const auto& partial = result["by_faults"][1];
  EXPECT_GT(partial["sets"], 0U);
  EXPECT_LT(partial["sets"], 1000000000000U);
}

TEST_P(Interrupt, FaultSetsThatWereVerifiedArePrinted) {
  const Outcome outcome =
      interrupted({"verify", "mesh", "radix=6x6", "--unit", "link", "--all-faults-up-to", "3", "--samples",
                   "1000", "--json"},
                  GetParam(), [](const Outcome& o) {
                    return !o.output.empty() && nlohmann::json::parse(o.output)["by_faults"].size() == 2;
                  });
  ASSERT_EQ(outcome.code, 128 + GetParam()) << outcome.errors;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(result["interrupted"], true);
  EXPECT_EQ(result["exhaustive"], false);
  ASSERT_EQ(result["by_faults"].size(), 2U);
  EXPECT_EQ(result["by_faults"][0]["sets"], 60U);
  EXPECT_GT(result["by_faults"][1]["sets"], 0U);
  EXPECT_LT(result["by_faults"][1]["sets"], 1000U);
}

TEST_P(Interrupt, DesignsThatWereEvaluatedArePrinted) {
  const Outcome outcome = interrupted({"design", "switches", "--terminals", "12", "--ports", "6", "--degree",
                                       "2", "--faults", "3", "--steps", "4000000000", "--json"},
                                      GetParam(), [](const Outcome& o) { return !o.output.empty(); });
  ASSERT_EQ(outcome.code, 128 + GetParam()) << outcome.errors;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(result["interrupted"], true);
  EXPECT_GT(result["designs"].size(), 0U);
  EXPECT_GT(result["unsearched"], 0U);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("not searched for better ones"));
}

TEST_P(Interrupt, FailuresOfAFabricThatWereExaminedArePrinted) {
  const TemporaryFolder folder;
  const std::string out = (folder.path / "out").string();
  ASSERT_EQ(run_program({"fabric", "export", "fat-tree", "k=3", "n=3", "-o", out}).code, 0);
  const Outcome outcome =
      interrupted({"fabric", "whatif", out + "/fabric.ibnetdiscover", "--tables", out + "/tables.lfts",
                   "--failures", "2", "--samples", "1000000", "--json"},
                  GetParam(), [](const Outcome& o) { return !o.output.empty(); });
  ASSERT_EQ(outcome.code, 128 + GetParam()) << outcome.errors;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(result["interrupted"], true);
  EXPECT_EQ(result["holds"], false);
  EXPECT_EQ(result["exhaustive"], false);
  EXPECT_GT(result["by_set"].size(), 0U);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("not examined"));
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
                                      [&](const Outcome&) { return kept() == 1; });
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.errors;
  EXPECT_THAT(outcome.errors, testing::HasSubstr("rerun the command to resume"));
  EXPECT_EQ(kept(), 1U);
}

/// Work of hours, in each of the stages that a verb has.
struct LongWork {
  std::string name;
  std::vector<std::string> arguments;

  friend void PrintTo(const LongWork& work, std::ostream* out) { *out << work.name; }
};

class HeedsSignals : public testing::TestWithParam<LongWork> {};

TEST_P(HeedsSignals, WithinASecondAndInOneLine) {
  const std::vector early_and_late{std::pair{SIGINT, 150}, std::pair{SIGTERM, 900}};  // milliseconds
  for (const auto& [signal, milliseconds] : thinned(early_and_late, 2)) {
    Running program(GetParam().arguments, ".");
    program.wait_until_handled(signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    const auto start = std::chrono::steady_clock::now();
    program.signal(signal);
    const Outcome outcome = program.finish();
    const auto late = std::chrono::steady_clock::now() - start;
    EXPECT_LT(late, std::chrono::seconds(busy_machine)) << GetParam().name;
    ASSERT_EQ(outcome.code, 128 + signal) << outcome.output << outcome.errors;
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, testing::StartsWith("faultline: interrupted; ")) << outcome.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stages, HeedsSignals,
    testing::Values(
        LongWork{"building", {"topology", "fat-tree", "k=2", "n=20"}},
        LongWork{"distances", {"topology", "mesh", "radix=256x256", "--all-distances"}},
        LongWork{"enumeration", {"verify", "fat-tree", "k=8", "n=5"}},
        LongWork{"fault_sets",
                 {"verify", "mesh", "radix=4x4", "--all-faults-up-to", "6", "--samples", "1000000000"}},
        LongWork{"cut_through",
                 {"simulate", "torus", "radix=8x8", "--load", "0.5", "--cycles", "1000000000"}},
        LongWork{"wormhole",
                 {"simulate", "torus", "radix=8x8", "--load", "0.5", "--cycles", "1000000000", "--switching",
                  "wormhole"}},
        LongWork{"replications",
                 {"simulate", "torus", "radix=8x8", "--load", "0.5", "--replications", "10000", "--cpu-hours",
                  "1e6", "--cycles", "400000000"}},
        LongWork{"saturation",
                 {"simulate", "torus", "radix=16x16", "--find-saturation", "--cycles", "40000000"}},
        LongWork{"compilation", {"resilience", "fat-tree", "k=4", "n=6"}},
        LongWork{"failing_set",
                 {"resilience", "torus", "radix=10x10", "--routing", "duato", "--knowledge", "neighbours",
                  "--failing-set"}},
        LongWork{"statements", {"statements", "switch-ring", "n=400", "--most-classes", "100000000000"}},
        LongWork{"design",
                 {"design", "switches", "--terminals", "400", "--ports", "16", "--faults", "4", "--steps",
                  "4000000000"}},
        LongWork{"sampling",
                 {"resilience", "ruft", "k=4", "n=3", "--faults", "12", "--samples", "1000000000000"}}),
    [](const auto& work) { return work.param.name; });

TEST(Interrupt, ASecondSignalEndsTheProgramAtOnce) {
  Running program({"topology", "mesh", "radix=256x256", "--all-distances"}, ".");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.signal(SIGINT);
  program.signal(SIGTERM);
  EXPECT_GE(program.finish().code, 128 + SIGINT);
}

TEST(Uninterrupted, AFinishedRunSaysThatItIs) {
  const Outcome outcome = run_program({"resilience", "ruft", "k=2", "n=2", "--faults", "1", "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["interrupted"], false);
}

}  // namespace
}  // namespace faultline
