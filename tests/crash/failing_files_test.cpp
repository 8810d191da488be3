// SPDX-License-Identifier: Apache-2.0
// A study whose N-th change of a file fails, for every N and in every way, loses no finished case. The suite
// is Slow: the sanitizers' runtime does not let others be loaded before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.h"
#include "crash/failing_files.h"
#include "faultline/results/store.h"

namespace faultline {
namespace {

constexpr std::string_view first_half =
    "[[experiment]]\nverb = \"topology\"\ntopology = \"fat-tree:k=2,n=2\"\n";
constexpr std::string_view second_half =
    "[[experiment]]\nverb = \"verify\"\ntopology = \"ruft:k=2,n=2\"\ncertificate = \"a.cert\"\n";
constexpr std::size_t study_cases = 2;

/// How one call fails.
struct Failure {
  std::string how;
  bool stays = false;
  bool reads = false;  ///< calls that read, and not those that change files
};

std::string name_of(const Failure& failure) {
  return failure.how + (failure.stays ? "_stays" : "") + (failure.reads ? "_reads" : "");
}

void PrintTo(const Failure& failure, std::ostream* out) { *out << name_of(failure); }

/// The bytes of a results file with the first case in it.
const std::string& first_results() {
  static const std::string bytes = [] {
    const TemporaryFolder folder;
    (void)folder.file("s.toml", first_half);
    EXPECT_EQ(run_program({"study", "s.toml"}, folder.path).code, 0);
    return read_file(folder.path / "s.db", "test");
  }();
  return bytes;
}

/// That file, and a study of both cases.
struct HalfDone : TemporaryFolder {
  HalfDone() {
    (void)file("s.db", first_results());
    (void)file("s.toml", std::string(first_half) + std::string(second_half));
  }
  [[nodiscard]] Outcome run(const std::vector<std::string>& surroundings) const {
    return run_program_with(surroundings, {"study", "s.toml", "--jobs", "1", "--json"}, path);
  }
  [[nodiscard]] std::vector<Record> records() const {
    return ResultsStore(path / "s.db", ResultsStore::Mode::read_write).all();
  }
};

std::vector<std::string> surroundings(const HalfDone& folder, const Failure& failure, long call) {
  std::vector<std::string> all = failing_files(folder.path, failure.how, call, folder.path / "count");
  if (failure.stays) all.emplace_back("FAILING_STAYS=1");
  if (failure.reads) all.emplace_back("FAILING_READS=1");
  return all;
}

/// What a case's answer is, whenever it is computed.
std::set<std::string> answers(const std::vector<Record>& records) {
  std::set<std::string> all;
  for (const Record& record : records) {
    auto result = nlohmann::json::parse(record.result_text);
    result.erase("seconds");
    result.erase("certificate");  // lies in the test's own folder
    all.insert(record.case_text.substr(0, record.case_text.find("certificate")) + result.dump());
  }
  return all;
}

class SlowFailingFiles : public testing::TestWithParam<Failure> {};

TEST_P(SlowFailingFiles, AtEveryCallLoseNoFinishedCase) {
  const HalfDone undisturbed;
  ASSERT_EQ(undisturbed.run(surroundings(undisturbed, GetParam(), 0)).code, 0);
  const long calls = std::stol(read_file(undisturbed.path / "count", "test"));
  EXPECT_GT(calls, GetParam().reads ? 10 : 40) << "the calls are not seen";
  const std::set<std::string> expected = answers(undisturbed.records());
  ASSERT_EQ(expected.size(), study_cases);
  long noticed = 0;
  for (long call = 1; call <= calls; ++call) {
    const HalfDone folder;
    const std::vector<Record> before = folder.records();
    const Outcome outcome = folder.run(surroundings(folder, GetParam(), call));
    SCOPED_TRACE("call " + std::to_string(call) + ": " + outcome.errors);
    if (GetParam().how == "kill") {
      EXPECT_EQ(outcome.code, 128 + SIGKILL);
    } else {
      EXPECT_THAT(outcome.code, testing::AnyOf(0, 1, 2));
      EXPECT_EQ(outcome.code == 0, outcome.errors.empty());
    }
    noticed += outcome.code == 0 ? 0 : 1;
    const std::vector<Record> after = folder.records();
    ASSERT_GE(after.size(), before.size());
    EXPECT_EQ(after.front().result_text, before.front().result_text);
    if (!outcome.output.empty()) {
      const auto said = nlohmann::json::parse(outcome.output);
      EXPECT_EQ(after.size(), before.size() + said["computed"].get<std::size_t>());
    }
    if (std::filesystem::exists(folder.path / "a.cert")) {
      EXPECT_THAT(read_file(folder.path / "a.cert", "test"), testing::EndsWith("\nend\n"));
    }
    const Outcome again = folder.run({});
    EXPECT_EQ(again.code, 0) << again.errors;
    EXPECT_EQ(answers(folder.records()), expected);
    EXPECT_EQ(nlohmann::json::parse(again.output)["computed"].get<std::size_t>(), study_cases - after.size());
  }
  const bool can_be_repaired = GetParam().how == "eintr" || GetParam().how == "short";
  EXPECT_GE(noticed, can_be_repaired ? 0 : calls / 2);
}

INSTANTIATE_TEST_SUITE_P(Ways, SlowFailingFiles,
                         testing::Values(Failure{"short"}, Failure{"eintr"}, Failure{"eio"},
                                         Failure{"eio", true}, Failure{"enospc"}, Failure{"enospc", true},
                                         Failure{"kill"}, Failure{"short", false, true},
                                         Failure{"eintr", false, true}, Failure{"eio", false, true}),
                         [](const auto& failure) { return name_of(failure.param); });

}  // namespace
}  // namespace faultline
