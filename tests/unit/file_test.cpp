// SPDX-License-Identifier: Apache-2.0
// Is a file whole or absent, and no other file changed?
#include "faultline/base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "faultline/base/error.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WriteFile, ReplacesAFileAndKeepsItsPermissions) {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "a";
  write_file(path, "one", "test");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_file(path, "two", "test");
  EXPECT_EQ(read_file(path, "test"), "two");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(entries(folder.path), 1U);
}

TEST(WriteFile, TakesTheLongestNamesThatThereCanBe) {
  const TemporaryFolder folder;
  const fs::path path = folder.path / std::string(255, 'a');
  write_file(path, "text", "test");
  EXPECT_EQ(read_file(path, "test"), "text");
  EXPECT_EQ(entries(folder.path), 1U);
}

TEST(WriteFile, OfSeveralReplacesNoneUnlessAllCanBeWritten) {
  const TemporaryFolder folder;
  const std::string first = folder.file("first", "old"), second = (folder.path / "second").string();
  const std::vector<OutputFile> unwritable{{"a", first, "new"}, {"b", "/nowhere/at/all", "new"}};
  EXPECT_THAT(refusal([&] { write_files(unwritable); }), HasSubstr("/nowhere/at/all"));
  EXPECT_EQ(read_file(first, "test"), "old");
  EXPECT_EQ(entries(folder.path), 1U);
  const std::vector<OutputFile> writable{{"a", first, "new"}, {"b", second, "also new"}};
  write_files(writable);
  EXPECT_EQ(read_file(first, "test"), "new");
  EXPECT_EQ(read_file(second, "test"), "also new");
}

TEST(WriteFile, HonoursTheMaskOfTheUser) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(077);
  write_file(folder.path / "a", "secret", "test");
  ::umask(before);
  EXPECT_EQ(fs::status(folder.path / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WriteFile, FollowsLinks) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path / "elsewhere");
  fs::create_symlink("elsewhere/target", folder.path / "link");
  fs::create_symlink("link", folder.path / "link-to-link");
  write_file(folder.path / "link", "first", "test");  // the target is not there yet
  EXPECT_TRUE(fs::is_symlink(folder.path / "link"));
  EXPECT_EQ(read_file(folder.path / "elsewhere" / "target", "test"), "first");
  write_file(folder.path / "link-to-link", "second", "test");
  EXPECT_TRUE(fs::is_symlink(folder.path / "link-to-link"));
  EXPECT_EQ(read_file(folder.path / "elsewhere" / "target", "test"), "second");
  fs::create_symlink("circle", folder.path / "circle");
  EXPECT_THAT(refusal([&] { write_file(folder.path / "circle", "x", "test"); }),
              HasSubstr("cannot be written"));
}

TEST(WriteFile, WritesIntoAPipeAndLeavesItThere) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] {
    const int descriptor = ::open(pipe.c_str(), O_RDONLY);
    char block[64];
    for (ssize_t bytes = 0; (bytes = ::read(descriptor, block, sizeof block)) > 0;)
      received.append(block, static_cast<std::size_t>(bytes));
    ::close(descriptor);
  });
  write_file(pipe, "through", "test");
  reader.join();
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WriteFile, LeavesDevicesWhatTheyAre) {
  write_file("/dev/null", "nothing", "test");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT(refusal([] { write_file("/dev/full", "x", "test"); }), HasSubstr("No space left"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(WriteFile, RefusesFoldersAndWhatIsNoPath) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal([&] { write_file(folder.path, "x", "test"); }), HasSubstr("directory"));
  EXPECT_THAT(refusal([&] { write_file(folder.path / "no" / "file", "x", "test"); }),
              HasSubstr("writable folder"));
  const std::string cut = folder.path.string() + std::string("/a\0b", 4);
  EXPECT_THAT(refusal([&] { write_file(cut, "x", "test"); }), HasSubstr("NUL"));
  EXPECT_THAT(refusal([&] { (void)read_file(cut, "test"); }), HasSubstr("NUL"));
  EXPECT_EQ(entries(folder.path), 0U);
}

TEST(ReadFile, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal([] { (void)read_file("/dev/zero", "test"); }), HasSubstr("device"));
  EXPECT_THAT(refusal([&] { (void)read_file(folder.path, "test"); }), HasSubstr("folder"));
  EXPECT_THAT(refusal([&] { (void)read_file(folder.path / "none", "test"); }), HasSubstr("no such file"));
  EXPECT_THAT(refusal([&] { (void)read_file(std::string(5000, 'x'), "test"); }), HasSubstr("cannot be read"));
}

TEST(InputFiles, AreReadOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a", "before");
  InputFiles files;
  EXPECT_EQ(*files.read(path, "test").content, "before");
  (void)folder.file("a", "after");
  EXPECT_EQ(*files.read(path, "test").content, "before");
}

TEST(SameFile, IsSeenThroughLinksAndBeforeItIsThere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a", "x");
  fs::create_symlink("a", folder.path / "link");
  fs::create_hard_link(path, folder.path / "hard");
  EXPECT_TRUE(is_same_file(path, folder.path / "link"));
  EXPECT_TRUE(is_same_file(path, folder.path / "hard"));
  EXPECT_TRUE(is_same_file(folder.path / "none", folder.path / "." / "none"));
  EXPECT_FALSE(is_same_file(path, folder.path / "none"));
}

}  // namespace
}  // namespace faultline
