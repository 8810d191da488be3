// SPDX-License-Identifier: Apache-2.0
// Does the README show what the program prints, and is the guide's study one that it runs?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "faultline/base/file.h"
#include "program.h"

namespace faultline {
namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

TEST(Readme, ItsExampleIsWhatTheProgramPrints) {
  const std::string readme = read_file(std::string(FAULTLINE_SOURCE_DIR) + "/README.md", "readme");
  std::istringstream lines(readme);
  constexpr std::string_view prompt = "$ build/bin/faultline ";
  std::string command, shown;
  std::size_t examples = 0;
  const auto check = [&] {
    if (command.empty()) return;
    const Outcome outcome = run_program(words(command));
    EXPECT_EQ(outcome.output, shown) << command << outcome.errors;
    ++examples;
  };
  int line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    if (line.starts_with("$ ") || line == "```") {
      check();
      command = line.starts_with(prompt) ? line.substr(prompt.size()) : "";
      shown.clear();
      if (!command.empty()) {
        EXPECT_LE(line_number, 25) << "a newcomer sees the example at once";
      }
    } else {
      shown += line + "\n";
    }
  }
  EXPECT_GE(examples, 2U);
}

TEST(Readme, TheStudyOfTheGuideRuns) {
  const std::string guide =
      read_file(std::string(FAULTLINE_SOURCE_DIR) + "/src/study/STUDY.md", "the guide to studies");
  constexpr std::string_view begin = "```toml\n", end = "```\n";
  const std::size_t first = guide.find(begin);
  ASSERT_NE(first, std::string::npos);
  const std::size_t from = first + begin.size();
  const TemporaryFolder folder;
  (void)folder.file("s.toml", guide.substr(from, guide.find(end, from) - from));
  const Outcome outcome = run_program({"study", "s.toml", "--json"}, folder.path);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(outcome.output).at("cases"), 12 + 3 + 6);
}

}  // namespace
}  // namespace faultline
