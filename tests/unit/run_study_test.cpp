// SPDX-License-Identifier: Apache-2.0
// A study among other processes that work on the same results.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "faultline/study/answer.h"
#include "faultline/study/study.h"
#include "study/study_text.h"
#include "support/no_more_threads.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

/// Two cases, of which the second writes a file.
Study study_in(const TemporaryFolder& folder) {
  return read_study_text(R"(title = "t"
[[experiment]]
verb = "verify"
topology = "mesh:radix=2x2"
[[experiment]]
verb = "verify"
topology = "mesh:radix=2x3"
certificate = "c.txt"
)",
                         folder.path / "s.toml", {});
}

/// As another process that ends before it has written the case's files.
StudyOutcome run_while_another_finishes_the_second(const Study& study, ResultsStore& store, bool with_files) {
  const Case& second = study.cases[1];
  const auto other = run_to_record(second, build_topology(second.topology), study.title, {}).value();
  const auto finished = [&](std::size_t done, std::size_t, const Case&) {
    if (done == 1) store.put(other.record, with_files ? other.files : std::vector<OutputFile>{});
  };
  return run_study(study, store, {.finished = finished});
}

TEST(RunStudy, WritesTheFilesOfACaseThatAnotherProcessFinished) {
  const TemporaryFolder folder;
  ResultsStore store(folder.path / "r.db", ResultsStore::Mode::read_write);
  const StudyOutcome outcome = run_while_another_finishes_the_second(study_in(folder), store, true);
  EXPECT_EQ(outcome.computed, 1U);
  EXPECT_EQ(outcome.computed_elsewhere, 1U);
  EXPECT_EQ(outcome.already_there, 0U);
  EXPECT_THAT(outcome.failures, testing::IsEmpty());
  EXPECT_THAT(read_file(folder.path / "c.txt", "test"), HasSubstr("certificate"));
}

TEST(RunStudy, SaysWhereAnotherProcessKeptNoFileOfItsCase) {
  const TemporaryFolder folder;
  ResultsStore store(folder.path / "r.db", ResultsStore::Mode::read_write);
  const StudyOutcome outcome = run_while_another_finishes_the_second(study_in(folder), store, false);
  EXPECT_EQ(outcome.computed_elsewhere, 1U);
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_THAT(outcome.failures[0], HasSubstr("the results hold no whole copy of it"));
  EXPECT_EQ(store.failures(), outcome.failures);
}

TEST(RunStudy, GoesOnWithTheThreadsThatThereAre) {
  const TemporaryFolder folder;
  ResultsStore store(folder.path / "r.db", ResultsStore::Mode::read_write);
  const Study study = study_in(folder);
  const testing_support::NoMoreThreads none;
  const StudyOutcome outcome = run_study(study, store, {.jobs = 8});
  EXPECT_EQ(outcome.computed, 2U);
  EXPECT_THAT(outcome.failures, testing::IsEmpty());
}

/// Larger networks come first, and fail later.
TEST(RunStudy, ListsFailuresInTheOrderOfTheCases) {
  const TemporaryFolder folder;
  ResultsStore store(folder.path / "r.db", ResultsStore::Mode::read_write);
  std::string text = "title = \"t\"\n";
  for (const int radix : {24, 12, 6, 3, 2})
    text += fmt::format(
        "[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix={0}x{0}\"\n"
        "certificate = \"missing/{0}.txt\"\n",
        radix);
  const Study study = read_study_text(text, folder.path / "s.toml", {});
  const StudyOutcome outcome = run_study(study, store, {.jobs = 5});
  ASSERT_EQ(outcome.failures.size(), 5U);
  for (std::size_t i = 0; i < study.cases.size(); ++i)
    EXPECT_THAT(outcome.failures[i], HasSubstr(to_compact(study.cases[i].topology)));
}

/// A folder stands where the certificate should be.
TEST(RunStudy, FailsAgainWhereAFileStillCannotBeWritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path / "c.txt");
  ResultsStore store(folder.path / "r.db", ResultsStore::Mode::read_write);
  const Study study = study_in(folder);
  for (int run = 1; run <= 2; ++run) {
    const StudyOutcome outcome = run_study(study, store, {});
    ASSERT_EQ(outcome.failures.size(), 1U) << run;
    EXPECT_THAT(outcome.failures[0], HasSubstr("c.txt"));
    EXPECT_EQ(store.failures(), outcome.failures) << run;
  }
  const std::atomic<bool> stop = true;
  EXPECT_THAT(run_study(study, store, {.stop = &stop}).failures, testing::IsEmpty());
  EXPECT_EQ(store.failures().size(), 1U) << "an interrupted run leaves what is known";
  const Study other =
      read_study_text("title = \"t\"\n[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix=2\"\n",
                      folder.path / "other.toml", {});
  EXPECT_THAT(run_study(other, store, {}).failures, testing::IsEmpty());
  EXPECT_EQ(store.failures().size(), 1U) << "as does another study of the same title";
  const Study elsewhere =
      read_study_text("title = \"t\"\n[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix=2\"\n",
                      folder.path / "elsewhere" / "s.toml", {});
  EXPECT_THAT(run_study(elsewhere, store, {}).failures, testing::IsEmpty());
  EXPECT_EQ(store.failures().size(), 1U) << "and one of the same name in another folder";
  std::filesystem::remove(folder.path / "c.txt");
  EXPECT_THAT(run_study(study, store, {}).failures, testing::IsEmpty());
  EXPECT_THAT(store.failures(), testing::IsEmpty());
}

}  // namespace
}  // namespace faultline
