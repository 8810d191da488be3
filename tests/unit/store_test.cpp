// SPDX-License-Identifier: Apache-2.0
#include "faultline/results/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

Record record(std::string hash) {
  return {std::move(hash), "study", "{\"a\":1}", "{\"b\":\"\\u0000\"}", 7, "1", 0.5};
}

std::string refusal(const std::filesystem::path& path, ResultsStore::Mode mode) {
  try {
    const ResultsStore store(path, mode);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Store, KeepsWhatWasPutAcrossOpenings) {
  const TemporaryFolder folder;
  {
    ResultsStore store(folder.path / "a.db", ResultsStore::Mode::read_write);
    store.put(record("one"));
    store.put(record("two"));
  }
  const ResultsStore store(folder.path / "a.db", ResultsStore::Mode::read);
  EXPECT_TRUE(store.contains("one"));
  EXPECT_FALSE(store.contains("three"));
  ASSERT_EQ(store.all().size(), 2U);
  EXPECT_EQ(store.all()[1].hash, "two");
  EXPECT_EQ(store.all()[0].result_text, record("one").result_text);
  EXPECT_EQ(store.all()[0].seed, 7U);
}

/// A file has got its former contents again: the result of these is the present one.
TEST(Store, MakesAnEarlierRecordOfACaseTheNewest) {
  const TemporaryFolder folder;
  ResultsStore store(folder.path / "a.db", ResultsStore::Mode::read_write);
  const auto hashes = [&] {
    std::vector<std::string> found;
    for (const Record& one : store.all()) found.push_back(one.hash);
    return found;
  };
  store.put(record("before"));
  Record other = record("other");
  other.case_text = "{\"a\":2}";
  store.put(other);
  store.put(record("after"));
  store.make_newest({"other", "after"});
  EXPECT_EQ(hashes(), (std::vector<std::string>{"before", "other", "after"}));
  store.make_newest({"before", "other"});
  EXPECT_EQ(hashes(), (std::vector<std::string>{"other", "after", "before"}));
}

TEST(Store, RefusesAnAnswerThatIsTooLargeInsteadOfLosingIt) {
  const TemporaryFolder folder;
  ResultsStore store(folder.path / "a.db", ResultsStore::Mode::read_write);
  Record large = record("one");
  large.result_text = std::string((std::size_t{1} << 28) + 1, ' ');
  EXPECT_THAT(testing_support::error_message([&] { ResultsStore::refuse_too_large(large, {}); }),
              HasSubstr("268435457 bytes; a study keeps at most 268435456"));
  EXPECT_ANY_THROW(store.put(large));
  EXPECT_FALSE(store.contains("one"));
  large.result_text = "{}";
  EXPECT_NO_THROW(ResultsStore::refuse_too_large(large, {}));
}

/// What is just not too large is kept: the limit is on a text, not on the row that holds it.
TEST(SlowStore, KeepsAnAnswerAndAFileOfTheGreatestSize) {
  const TemporaryFolder folder;
  ResultsStore store(folder.path / "a.db", ResultsStore::Mode::read_write);
  Record large = record("one");
  large.result_text = std::string(std::size_t{1} << 28, 'x');
  large.result_text.front() = large.result_text.back() = '"';
  const std::vector<OutputFile> files{{"field", "f", large.result_text}};
  EXPECT_NO_THROW(ResultsStore::refuse_too_large(large, files));
  ASSERT_NO_THROW(store.put(large, files));
  EXPECT_TRUE(store.contains("one"));
  EXPECT_TRUE(store.all().at(0).result_text == large.result_text);
  EXPECT_TRUE(store.file_of("one", "f") == large.result_text);
}

TEST(Store, RefusesWhatIsNoResultsFile) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  EXPECT_THAT(refusal(path, ResultsStore::Mode::read), HasSubstr("no such file"));
  write_file(path, "this is certainly not a database, but long enough to look at it twice", "test");
  for (const auto mode : {ResultsStore::Mode::read, ResultsStore::Mode::read_write})
    EXPECT_THAT(refusal(path, mode), HasSubstr("not a results file"));
  EXPECT_THAT(refusal(folder.path / "no" / "such" / "folder.db", ResultsStore::Mode::read_write),
              HasSubstr("cannot be written"));
  for (const auto mode : {ResultsStore::Mode::read, ResultsStore::Mode::read_write})
    EXPECT_THAT(refusal(folder.path, mode), HasSubstr("is a folder, a device or a pipe"));
}

TEST(Store, RefusesADamagedFile) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  {
    ResultsStore store(path, ResultsStore::Mode::read_write);
    for (int i = 0; i < 100; ++i) store.put(record(std::to_string(i)));
  }
  std::string content = read_file(path, "test");
  for (std::size_t i = 4096; i < content.size(); ++i) content[i] = 'x';
  write_file(path, content, "test");
  EXPECT_THROW((void)ResultsStore(path, ResultsStore::Mode::read).all(), Error);
}

/// A file as written by an older program, or an attacker.
void execute(const std::filesystem::path& path, const char* statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, statements, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

constexpr const char* without_generation =
    "PRAGMA application_id = 1179407438;"
    "CREATE TABLE records (hash TEXT PRIMARY KEY, study TEXT NOT NULL, case_text TEXT NOT NULL,"
    " result_text TEXT NOT NULL, seed INTEGER NOT NULL, version TEXT NOT NULL, seconds REAL NOT NULL);"
    "INSERT INTO records VALUES ('old', 's', '{}', '{}', 1, '0.1.0', 0.5);";

TEST(Store, KeepsTheGenerationAndReadsFilesFromBeforeThereWasOne) {
  const TemporaryFolder folder;
  const auto path = folder.path / "old.db";
  execute(path, without_generation);
  EXPECT_EQ(ResultsStore(path, ResultsStore::Mode::read).all().at(0).generation, "");
  {
    ResultsStore store(path, ResultsStore::Mode::read_write);
    Record newer = record("new");
    newer.generation = "7";
    store.put(newer);
  }
  const auto records = ResultsStore(path, ResultsStore::Mode::read).all();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].generation, "");
  EXPECT_EQ(records[1].generation, "7");
}

TEST(Store, KeepsTheFailuresOfEachStudysLastRun) {
  const TemporaryFolder folder;
  const auto path = folder.path / "old.db";
  execute(path, without_generation);
  EXPECT_THAT(ResultsStore(path, ResultsStore::Mode::read).failures(), testing::IsEmpty());
  {
    ResultsStore store(path, ResultsStore::Mode::read_write);
    store.set_failures("a", {"1", "2"});
    store.set_failures("b", {"3"});
    store.set_failures("a", {"2"});
  }
  EXPECT_THAT(ResultsStore(path, ResultsStore::Mode::read).failures(), testing::ElementsAre("3", "2"));
}

TEST(Store, RefusesAFileThatHoldsMoreThanRecords) {
  const TemporaryFolder folder;
  for (const char* more :
       {"CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n;",
        "CREATE TRIGGER t AFTER DELETE ON claims BEGIN DELETE FROM records; END;"}) {
    const auto path = folder.path / "more.db";
    std::filesystem::remove(path);
    { const ResultsStore store(path, ResultsStore::Mode::read_write); }
    execute(path, more);
    for (const auto mode : {ResultsStore::Mode::read, ResultsStore::Mode::read_write})
      EXPECT_THAT(refusal(path, mode), HasSubstr("not a results file"));
  }
  const auto path = folder.path / "other.db";
  execute(path, "PRAGMA application_id = 1179407438; CREATE TABLE records (hash TEXT);");
  EXPECT_THROW((void)ResultsStore(path, ResultsStore::Mode::read).all(), Error);
}

TEST(Store, ADamagedRecordIsReplaced) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  for (const char* column : {"result_text", "case_text"}) {
    {
      ResultsStore store(path, ResultsStore::Mode::read_write);
      store.put(record("one"));
      EXPECT_EQ(store.claim("one"), ResultsStore::Claim::finished);
    }
    execute(path, (std::string("UPDATE records SET ") + column + " = '{\"b\":'").c_str());
    ResultsStore store(path, ResultsStore::Mode::read_write);
    EXPECT_FALSE(store.contains("one"));
    EXPECT_EQ(store.claim("one"), ResultsStore::Claim::granted);
    store.put(record("one"));
    EXPECT_TRUE(store.contains("one"));
    ASSERT_EQ(store.all().size(), 1U);
    EXPECT_EQ(store.all()[0].result_text, record("one").result_text);
    EXPECT_EQ(store.all()[0].case_text, record("one").case_text);
  }
}

TEST(Claims, AreGrantedOnceUntilTheyAreReleasedOrTheRecordIsThere) {
  const TemporaryFolder folder;
  using Claim = ResultsStore::Claim;
  ResultsStore one(folder.path / "a.db", ResultsStore::Mode::read_write);
  ResultsStore other(folder.path / "a.db", ResultsStore::Mode::read_write);
  EXPECT_EQ(one.claim("x"), Claim::granted);
  EXPECT_EQ(other.claim("x"), Claim::taken);
  EXPECT_EQ(other.claim("y"), Claim::granted);
  other.release("x");  // not its own
  EXPECT_EQ(other.claim("x"), Claim::taken);
  one.release("x");
  EXPECT_EQ(other.claim("x"), Claim::granted);
  other.put(record("x"));
  EXPECT_EQ(one.claim("x"), Claim::finished);
  EXPECT_EQ(other.all().size(), 1U);
}

TEST(Claims, EndWithTheStoreThatHoldsThem) {
  const TemporaryFolder folder;
  ResultsStore other(folder.path / "a.db", ResultsStore::Mode::read_write);
  {
    ResultsStore one(folder.path / "a.db", ResultsStore::Mode::read_write);
    EXPECT_EQ(one.claim("x"), ResultsStore::Claim::granted);
  }
  EXPECT_EQ(other.claim("x"), ResultsStore::Claim::granted);
}

TEST(Claims, OfAKilledProcessAreFreeAtOnce) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  const pid_t child = ::fork();
  if (child == 0) {
    ResultsStore store(path, ResultsStore::Mode::read_write);
    ::_exit(store.claim("x") == ResultsStore::Claim::granted ? 0 : 1);  // without its destructor
  }
  int status = 0;
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  ResultsStore store(path, ResultsStore::Mode::read_write);
  EXPECT_EQ(store.claim("x"), ResultsStore::Claim::granted);  // nobody has waited for the child yet
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Claims, ExpireWhereNobodyCanTellWhetherTheirHolderLives) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  ResultsStore store(path, ResultsStore::Mode::read_write);
  execute(path,
          "INSERT INTO claims VALUES ('late', 'another machine 1 1 x', 1);"
          "INSERT INTO claims VALUES ('fresh', 'another machine 1 1 x', 1 << 40);");
  EXPECT_EQ(store.claim("late"), ResultsStore::Claim::granted);
  EXPECT_EQ(store.claim("fresh"), ResultsStore::Claim::taken);
}

/// It may be stopped, and is continued later.
TEST(Claims, OfALivingProcessOnThisMachineDoNotExpire) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  ResultsStore store(path, ResultsStore::Mode::read_write);
  ASSERT_EQ(store.claim("x"), ResultsStore::Claim::granted);
  execute(path, "UPDATE claims SET expires = 1;");
  ResultsStore other(path, ResultsStore::Mode::read_write);
  EXPECT_EQ(other.claim("x"), ResultsStore::Claim::taken);
  store.release("x");
  EXPECT_EQ(other.claim("x"), ResultsStore::Claim::granted);
}

TEST(Claims, AreRenewed) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  ResultsStore store(path, ResultsStore::Mode::read_write);
  ASSERT_EQ(store.claim("x"), ResultsStore::Claim::granted);
  execute(path, "UPDATE claims SET expires = 1;");
  store.renew_claims();
  execute(path, "UPDATE claims SET owner = 'another machine 1 1 x';");  // one that must be renewed
  ResultsStore other(path, ResultsStore::Mode::read_write);
  EXPECT_EQ(other.claim("x"), ResultsStore::Claim::taken);
}

/// Another program, which locks the file for a little longer than two seconds.
TEST(Store, SaysOnceThatItWaitsForALockedFile) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path / "r.db";
  std::atomic<int> said = 0;
  ResultsStore store(path, ResultsStore::Mode::read_write, [&] { ++said; });
  store.put(record("before"));
  EXPECT_EQ(said, 0);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto start = std::chrono::steady_clock::now();
  std::jthread waiting([&] { store.put(record("after")); });
  while (said == 0 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  sqlite3_close(other);
  waiting.join();
  EXPECT_EQ(said, 1);
  EXPECT_TRUE(store.contains("after"));
}

}  // namespace
}  // namespace faultline
