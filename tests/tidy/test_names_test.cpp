// SPDX-License-Identifier: Apache-2.0
// Runs are compared, and skips are allowed, by the names of tests: these must be the same in every build, and
// tell the tests apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Googletest prints the values of pointers, and the bytes of what it cannot print.
bool differs_between_builds(const std::string& name) {
  static const std::regex unstable(R"(\b0x[0-9a-f]{6,12}\b|[0-9]-byte object <)");
  return std::regex_search(name, unstable);
}

std::string listing_of(const fs::path& program) {
  const std::string command = "'" + program.string() + "' --gtest_list_tests";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), &pclose);
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t read = std::fread(part.data(), 1, part.size(), output.get()))
    text.append(part.data(), read);
  return text;
}

/// As ctest has them: a parameter without a name of its own is called by what it prints, not by its number.
std::vector<std::string> names_of(const fs::path& program) {
  static const std::regex number(R"(/[0-9]+ +# GetParam\(\) = )");
  std::istringstream lines(listing_of(program));
  std::vector<std::string> names;
  std::string suite;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  "))
      names.push_back(suite + std::regex_replace(line.substr(2), number, "/"));
    else
      suite = line;
  return names;
}

/// Of all programs that are built; `make test` builds all.
TEST(TestNames, TellTestsApartAndAreTheSameInEveryBuild) {
  std::set<std::string> own;
  for (const auto& entry : fs::directory_iterator(fs::path(FAULTLINE_PROGRAM).parent_path())) {
    const std::string program = entry.path().filename();
    if (!program.starts_with("test_")) continue;
    std::set<std::string> seen;
    for (const std::string& name : names_of(entry.path())) {
      EXPECT_FALSE(differs_between_builds(name)) << program << ": " << name;
      EXPECT_TRUE(seen.insert(name).second) << program << ": two tests are called " << name;
    }
    EXPECT_FALSE(seen.empty()) << program;
    if (program == "test_tidy") own = seen;
  }
  EXPECT_THAT(own, testing::Contains("TestNames.TellTestsApartAndAreTheSameInEveryBuild"));
}

struct Unprintable {
  int number;
};

TEST(TestNames, WithAddressesOrBytesAreFound) {
  const char* const text = "torus:radix=4x4";
  EXPECT_TRUE(differs_between_builds(testing::PrintToString(std::pair(text, true))));
  EXPECT_TRUE(differs_between_builds(testing::PrintToString(&listing_of)));
  EXPECT_TRUE(differs_between_builds(testing::PrintToString(Unprintable{5})));
  EXPECT_FALSE(differs_between_builds(testing::PrintToString(text)));
  EXPECT_FALSE(differs_between_builds(testing::PrintToString(std::pair(std::string(text), 0x100000))));
}

}  // namespace
