// SPDX-License-Identifier: Apache-2.0
// Replays the fuzzers' corpora and everything that they found: `make fuzz` looks for more.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "faultline/base/file.h"
#include "targets.h"

namespace faultline::fuzz {

/// Not among those without a name: googletest looks for it beside Target.
static void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

const std::filesystem::path folder = std::filesystem::path(FAULTLINE_SOURCE_DIR) / "fuzz";

std::vector<std::filesystem::path> inputs(const char* part, std::string_view target) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path all = folder / part / target;
  if (!std::filesystem::exists(all)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(all)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, KnownInputEndsInAnAnswerOrARefusal) {
  const auto corpus = inputs("corpus", GetParam().name);
  EXPECT_GE(corpus.size(), 3U) << "a fuzzer needs something to begin with";
  std::size_t bytes = 0;
  for (const char* part : {"corpus", "regression"})
    for (const auto& file : inputs(part, GetParam().name)) {
      SCOPED_TRACE(file.string());
      const std::string content = read_file(file, "corpus");
      bytes += content.size();
      EXPECT_NO_THROW(GetParam().run(content));
    }
  EXPECT_LT(bytes, 200'000U) << "the corpus is kept small";
}

TEST_P(Replay, ThePlantedDefectIsNotInTheCorpusAndCanBeReached) {
  ASSERT_EQ(::setenv("FAULTLINE_CANARY", "1", 1), 0);
  for (const auto& file : inputs("corpus", GetParam().name)) GetParam().run(read_file(file, "corpus"));
  const std::filesystem::path planted = folder / "canary" / GetParam().name;
  EXPECT_DEATH(GetParam().run(read_file(planted, "canary")), "defect: the canary");
}

/// Every folder belongs to a target, so that a misspelt canary is noticed.
TEST(Targets, EveryCanaryCorpusAndRegressionBelongsToOne) {
  std::set<std::string> names;
  for (const Target& target : targets()) names.emplace(target.name);
  std::size_t sources = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "targets")) {
    ++sources;
    EXPECT_TRUE(names.contains(entry.path().stem())) << entry.path();
  }
  EXPECT_EQ(sources, names.size());
  for (const char* part : {"canary", "corpus", "dictionaries", "regression"})
    if (std::filesystem::exists(folder / part)) {
      for (const auto& entry : std::filesystem::directory_iterator(folder / part))
        EXPECT_TRUE(names.contains(entry.path().filename())) << entry.path();
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace faultline::fuzz
