// SPDX-License-Identifier: Apache-2.0
#include "faultline/results/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
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

TEST(Store, RefusesWhatIsNoResultsFile) {
  const TemporaryFolder folder;
  const auto path = folder.path / "a.db";
  EXPECT_THAT(refusal(path, ResultsStore::Mode::read), HasSubstr("no such file"));
  write_file(path, "this is certainly not a database, but long enough to look at it twice", "test");
  for (const auto mode : {ResultsStore::Mode::read, ResultsStore::Mode::read_write})
    EXPECT_THAT(refusal(path, mode), HasSubstr("not a results file"));
  EXPECT_THAT(refusal(folder.path / "no" / "such" / "folder.db", ResultsStore::Mode::read_write),
              HasSubstr("cannot be written"));
  EXPECT_THAT(refusal(folder.path, ResultsStore::Mode::read_write), HasSubstr("cannot be written"));
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

}  // namespace
}  // namespace faultline
