// SPDX-License-Identifier: Apache-2.0
// Which files the cases of one list may read and write.
#include "faultline/study/case_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "study/study_text.h"
#include "support/effort.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing_support::error_message;

std::string certificates(const std::vector<std::string>& paths) {
  std::string text = "[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix=2x2\"\ncertificate = [";
  for (const std::string& path : paths) text += "\"" + path + "\",";
  return text + "]\n";
}

/// As many cases, of networks that differ.
std::string writers(const std::vector<std::string>& paths) {
  std::string text;
  for (std::size_t i = 0; i < paths.size(); ++i)
    text += "[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix=2x" + std::to_string(2 + i) +
            "\"\ncertificate = \"" + paths[i] + "\"\n";
  return text;
}

std::string refusal(const TemporaryFolder& folder, const std::string& text) {
  return error_message([&] { (void)read_study_text(text, folder.path / "s.toml", {}); });
}

TEST(CaseList, TwoCasesMayNotWriteOneFileHoweverItIsNamed) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path / "d");
  std::filesystem::create_directory_symlink(folder.path / "d", folder.path / "link");
  (void)folder.file("old", "content");
  std::filesystem::create_hard_link(folder.path / "old", folder.path / "same");
  std::filesystem::create_symlink(folder.path / "later", folder.path / "alias");
  for (const auto& [one, other] :
       std::vector<std::pair<std::string, std::string>>{{"c", "./d/../c"},
                                                        {"d/new", "link/new"},
                                                        {"old", "same"},
                                                        {"later", "alias"},
                                                        {"alias", "later"},
                                                        {(folder.path / "c").string(), "c"}}) {
    EXPECT_THAT(refusal(folder, writers({one, "else", other})), HasSubstr("would be written by two cases"))
        << one << " " << other;
  }
  EXPECT_EQ(refusal(folder, writers({"c", "d/c", "old", "alias", "link/d"})), "accepted");
}

TEST(CaseList, NoCaseMayWriteWhatAnotherReads) {
  const TemporaryFolder folder;
  const std::string faults = folder.file("faults", "0,s0.0 -> s1.0,down\n");
  std::filesystem::create_hard_link(faults, folder.path / "same");
  const std::string reads =
      "[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix=2x2\"\nfaults = \"faults\"\n";
  for (const char* const path : {"faults", "./faults", "same"}) {
    const std::string writes = writers({"c", path});
    EXPECT_THAT(refusal(folder, reads + writes), HasSubstr("a file that another case reads")) << path;
    EXPECT_THAT(refusal(folder, writes + reads), HasSubstr("a file that another case reads")) << path;
  }
}

/// One look at each file: comparing all with all takes minutes.
TEST(CaseList, ThousandsOfOutputsAreComparedAtOnce) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < effort(3'000, 500); ++i) paths.push_back("c" + std::to_string(i));
  const std::clock_t start = std::clock();
  EXPECT_EQ(refusal(folder, certificates(paths)), "accepted");
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace faultline
