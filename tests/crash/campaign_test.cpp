// SPDX-License-Identifier: Apache-2.0
// Studies that are killed at random times, and studies two at a time on one results file: a few of each here,
// as many as FAULTLINE_KILLS and FAULTLINE_PAIRS say in `make crash-campaign`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/program.h"
#include "faultline/results/store.h"

namespace faultline {
namespace {

constexpr std::string_view study =
    "title = \"campaign\"\n"
    "[[experiment]]\nverb = \"simulate\"\ntopology = {kind = \"fat-tree\", k = [2, 4], n = 2}\n"
    "load = \"0.1..0.4:0.1\"\nseed = [1, 2, 3]\ncycles = 6000\n"
    "[[experiment]]\nverb = \"verify\"\ntopology = \"ruft:k=2,n=2\"\ncertificate = \"c.cert\"\n";
constexpr std::size_t campaign_cases = 2 * 4 * 3 + 1;

int count_from(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct StudyFolder : TemporaryFolder {
  StudyFolder() { (void)file("s.toml", study); }
  [[nodiscard]] std::vector<std::string> command() const {
    return {"study", "s.toml", "--json", "--jobs", "2"};
  }
  [[nodiscard]] std::map<std::string, std::string> records() const {
    std::map<std::string, std::string> texts;
    if (!std::filesystem::exists(path / "s.db")) return texts;
    for (const Record& record : ResultsStore(path / "s.db", ResultsStore::Mode::read_write).all())
      texts[record.case_text.substr(0, record.case_text.find("certificate"))] = record.result_text;
    return texts;
  }
  /// Nothing but the study, its results and its certificate.
  void expect_tidy() const {
    for (const auto& entry : std::filesystem::directory_iterator(path))
      EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("s.toml", "s.db", "c.cert"));
  }
};

/// The answers, without what may differ between two runs of a case.
std::map<std::string, std::string> answers(std::map<std::string, std::string> records) {
  for (auto& [name, text] : records) {
    auto result = nlohmann::json::parse(text);
    for (const char* key : {"seconds", "certificate"}) result.erase(key);
    text = result.dump();
  }
  return records;
}

class SlowCampaign : public testing::Test {
 protected:
  SlowCampaign() {
    const StudyFolder folder;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run_program(folder.command(), folder.path).code, 0);
    duration_ =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
    expected_ = answers(folder.records());
    EXPECT_EQ(expected_.size(), campaign_cases);
    seed_ = std::random_device{}();
    random_.seed(seed_);
  }
  void sleep_a_while() {
    std::this_thread::sleep_for(duration_ * std::uniform_real_distribution<>(0, 1.2)(random_));
  }

  std::chrono::microseconds duration_{};
  std::map<std::string, std::string> expected_;
  unsigned seed_ = 0;
  std::mt19937 random_;
};

TEST_F(SlowCampaign, KillsAtRandomTimesLoseNothing) {
  const int kills = count_from("FAULTLINE_KILLS", 12);
  int killed = 0, studies = 0;
  std::size_t kept_over_kills = 0;
  while (killed < kills) {
    const StudyFolder folder;
    ++studies;
    std::map<std::string, std::string> kept;
    for (bool finished = false; !finished;) {
      SCOPED_TRACE(fmt::format("seed {}, kill {}", seed_, killed));
      Running program(folder.command(), folder.path);
      sleep_a_while();
      program.signal(SIGKILL);
      const Outcome outcome = program.finish();
      ASSERT_THAT(outcome.code, testing::AnyOf(0, 128 + SIGKILL)) << outcome.errors;
      finished = outcome.code == 0;
      killed += finished ? 0 : 1;
      const auto records = folder.records();
      for (const auto& [name, text] : kept) ASSERT_EQ(records.at(name), text);  // not even computed again
      kept = records;
      kept_over_kills += finished ? 0 : kept.size();
    }
    EXPECT_EQ(answers(folder.records()), expected_);
    folder.expect_tidy();
  }
  fmt::print("{} kills over {} studies, {} finished cases kept over a kill, none lost\n", killed, studies,
             kept_over_kills);
}

TEST_F(SlowCampaign, PairsOfStudiesComputeEachCaseOnce) {
  const int pairs = count_from("FAULTLINE_PAIRS", 4);
  std::size_t shared = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    SCOPED_TRACE(fmt::format("pair {}", pair));
    const StudyFolder folder;
    Running one(folder.command(), folder.path), other(folder.command(), folder.path);
    std::vector<std::size_t> computed;
    for (Running* program : {&one, &other}) {
      const Outcome outcome = program->finish();
      ASSERT_EQ(outcome.code, 0) << outcome.errors;
      ASSERT_EQ(outcome.errors, "");
      computed.push_back(nlohmann::json::parse(outcome.output)["computed"].get<std::size_t>());
    }
    ASSERT_EQ(computed[0] + computed[1], campaign_cases);
    shared += computed[0] > 0 && computed[1] > 0 ? 1 : 0;
    ASSERT_EQ(answers(folder.records()), expected_);
    folder.expect_tidy();
  }
  fmt::print("{} pairs without an error, every case computed once; in {} of them both computed\n", pairs,
             shared);
}

TEST_F(SlowCampaign, WhenOneOfAPairIsKilledTheOtherDoesItAll) {
  const int pairs = count_from("FAULTLINE_PAIRS", 4);
  for (int pair = 0; pair < pairs; ++pair) {
    SCOPED_TRACE(fmt::format("seed {}, pair {}", seed_, pair));
    const StudyFolder folder;
    Running one(folder.command(), folder.path), other(folder.command(), folder.path);
    sleep_a_while();
    one.signal(SIGKILL);
    ASSERT_THAT(one.finish().code, testing::AnyOf(0, 128 + SIGKILL));
    const Outcome outcome = other.finish();
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    ASSERT_EQ(answers(folder.records()), expected_);
  }
}

}  // namespace
}  // namespace faultline
