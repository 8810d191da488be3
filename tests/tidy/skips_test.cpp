// SPDX-License-Identifier: Apache-2.0
// Does scripts/check_skips.py refuse the skips that it should?
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace faultline {
namespace {

constexpr const char* ran = R"(<testcase name="a.Ran" status="run"/>)";
constexpr const char* skipped =
    R"(<testcase name="a.Skipped" status="notrun"><system-out>no GPU here</system-out></testcase>)";

// `runs` holds the test cases of each run.
bool accepts_runs(const std::string& allowed, const std::vector<std::string>& runs) {
  const TemporaryFolder folder;
  std::string command =
      "python3 '" FAULTLINE_SOURCE_DIR "/scripts/check_skips.py' '" + folder.file("allowed", allowed) + "'";
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::string name = "ctest" + std::to_string(run) + ".xml";
    command += " '" + folder.file(name, "<testsuite>" + runs[run] + "</testsuite>") + "'";
  }
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

bool accepts(const std::string& allowed, const std::string& cases) { return accepts_runs(allowed, {cases}); }

TEST(CheckSkips, AcceptsListedSkipsForTheirReasonOnly) {
  EXPECT_TRUE(accepts("", ran));
  EXPECT_TRUE(accepts("# why\n\na\\.Skip.* : no GPU\n", std::string(ran) + skipped));
  EXPECT_FALSE(accepts("", std::string(ran) + skipped)) << "not listed";
  EXPECT_FALSE(accepts("a\\.Skip : no GPU\n", std::string(ran) + skipped)) << "another test";
  EXPECT_FALSE(accepts("a\\.Skip.* : no disk\n", std::string(ran) + skipped)) << "another reason";
}

TEST(CheckSkips, RefusesPermissionsWithoutATestAndRunsWithoutTests) {
  EXPECT_FALSE(accepts("b\\..* : no GPU\n", ran));
  EXPECT_FALSE(accepts("a\\.Skipped\n", std::string(ran) + skipped)) << "no reason";
  EXPECT_FALSE(accepts("", ""));
}

TEST(CheckSkips, TakesARunOfTheQuickTestsBesideTheWholeRun) {
  const std::string allowed = "a\\.Skip.* : no GPU\n";
  EXPECT_TRUE(accepts_runs(allowed, {ran, std::string(ran) + skipped}));
  EXPECT_FALSE(accepts_runs(allowed, {ran, ran})) << "no test in either";
  EXPECT_FALSE(accepts_runs("a\\.Ran : no GPU\n", {std::string(ran) + skipped, ran}))
      << "a skip of the first";
  EXPECT_FALSE(accepts_runs(allowed, {"", std::string(ran) + skipped})) << "a run without tests";
}

/// What a test program writes itself, where one run of it has many tests.
TEST(CheckSkips, ReadsFilesOfGoogleTest) {
  const auto accepts = [](const std::string& allowed, const std::string& cases) {
    const TemporaryFolder folder;
    const std::string results =
        folder.file("a.1.xml", "<testsuites><testsuite name='Suite'>" + cases + "</testsuite></testsuites>");
    return std::system(("python3 '" FAULTLINE_SOURCE_DIR "/scripts/check_skips.py' '" +
                        folder.file("allowed", allowed) + "' '" + results + "' >/dev/null 2>&1")
                           .c_str()) == 0;
  };
  const std::string completed = "<testcase name='Ran' classname='Suite' status='run' result='completed'/>";
  const std::string left_out =
      "<testcase name='Skipped' classname='Suite' status='run' result='skipped'>"
      "<skipped message='file.cpp:3&#x0A;no GPU here&#x0A;'/></testcase>";
  EXPECT_TRUE(accepts("", completed));
  EXPECT_TRUE(accepts("a\\.Suite\\.Skip.* : no GPU\n", completed + left_out));
  EXPECT_FALSE(accepts("", completed + left_out)) << "not listed";
  EXPECT_FALSE(accepts("a\\.Suite\\.Skip.* : no disk\n", completed + left_out)) << "another reason";
  EXPECT_FALSE(accepts("b\\.Suite\\.Skip.* : no GPU\n", completed + left_out)) << "another program";
  EXPECT_FALSE(accepts("", "")) << "a run without tests";
}

}  // namespace
}  // namespace faultline
