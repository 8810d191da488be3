// SPDX-License-Identifier: Apache-2.0
// Can the scripts be run? Most of them run in no test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Files whose first line names `interpreter`, and which a user or another script starts.
std::vector<fs::path> scripts_for(const std::string& interpreter) {
  std::vector<fs::path> files;
  for (const char* folder : {".ci", "bench", "cmake", "scripts", "tests/package"})
    for (const auto& entry : fs::directory_iterator(fs::path(FAULTLINE_SOURCE_DIR) / folder)) {
      std::string first;
      if (entry.is_regular_file()) std::getline(std::ifstream(entry.path()), first);
      const std::string extension = entry.path().extension();
      if ((first.starts_with("#!") && first.ends_with(interpreter)) ||
          extension == (interpreter == "bash" ? ".sh" : ".py"))
        files.push_back(entry.path());
    }
  return files;
}

void expect_parsed(const std::string& interpreter, const std::string& command) {
  const std::vector<fs::path> scripts = scripts_for(interpreter);
  ASSERT_GE(scripts.size(), 3U);
  for (const fs::path& script : scripts) {
    EXPECT_NE(fs::status(script).permissions() & fs::perms::owner_exec, fs::perms::none)
        << script << " is not executable";
    EXPECT_EQ(std::system((command + " '" + script.string() + "'").c_str()), 0) << script;
  }
}

TEST(Scripts, OfTheShellAreExecutableAndParsed) { expect_parsed("bash", "bash -n"); }

TEST(Scripts, OfPythonAreExecutableAndParsed) {
  expect_parsed("python3", "python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())'");
}

}  // namespace
