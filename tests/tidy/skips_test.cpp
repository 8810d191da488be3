// SPDX-License-Identifier: Apache-2.0
// Does scripts/check_skips.py refuse the skips that it should?
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temporary_folder.h"

namespace faultline {
namespace {

constexpr const char* ran = R"(<testcase name="a.Ran" status="run"/>)";
constexpr const char* skipped =
    R"(<testcase name="a.Skipped" status="notrun"><system-out>no GPU here</system-out></testcase>)";

bool accepts(const std::string& allowed, const std::string& cases) {
  const TemporaryFolder folder;
  const std::string list = folder.file("allowed", allowed);
  const std::string results = folder.file("ctest.xml", "<testsuite>" + cases + "</testsuite>");
  const std::string command = "python3 '" FAULTLINE_SOURCE_DIR "/scripts/check_skips.py' '" + list + "' '" +
                              results + "' >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

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

}  // namespace
}  // namespace faultline
