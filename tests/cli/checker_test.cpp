// SPDX-License-Identifier: Apache-2.0
// Does faultline-check behave as a script expects, whatever it is given?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "faultline/base/file.h"
#include "program.h"

namespace faultline {
namespace {

using testing::HasSubstr;

Outcome check(const std::vector<std::string>& arguments, const TemporaryFolder& folder,
              const std::string& output = {}) {
  return run_other_program(FAULTLINE_CHECKER, arguments, folder.path, output);
}

/// A folder with certificates of a routing, "c", and of a design, "d".
struct Certificates : TemporaryFolder {
  Certificates() {
    EXPECT_EQ(run_program({"verify", "fat-tree", "k=2", "n=2", "--certificate", "c"}, path).code, 0);
    EXPECT_EQ(run_program({"design", "switches", "--terminals", "4", "--ports", "4", "--faults", "1",
                           "--steps", "0", "--certificate", "d"},
                          path)
                  .code,
              0);
  }
  [[nodiscard]] std::string changed(const std::string& from, const std::string& to) const {
    std::string text = read_file(path / "c", "test");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

TEST(Checker, AcceptsRefusesAndSaysWhichByItsStatus) {
  const Certificates folder;
  EXPECT_EQ(check({"c"}, folder).code, 0);
  EXPECT_EQ(check({"d"}, folder).code, 0);
  (void)folder.file("x", folder.changed("max-hops 3", "max-hops 2"));
  const Outcome refused = check({"x"}, folder);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.output, testing::StartsWith("rejected: line "));
  EXPECT_EQ(check({}, folder).code, 2);
  EXPECT_EQ(check({"c", "d"}, folder).code, 2);
  EXPECT_EQ(check({"c", "--dead"}, folder).code, 2);
  EXPECT_NE(check({"c"}, folder, "/dev/full").code, 0);
}

TEST(Checker, SaysWhatIsWrongBeforeItsUsage) {
  const TemporaryFolder folder;
  for (const auto& [words, reason] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"c", "--foo"}, "'--foo' is not an option"},
           {{"c", "--dead"}, "'--dead' needs a value"},
           {{"c", "d"}, "'d' is a second file"},
           {{"--expect", "x"}, "no certificate is given"}}) {
    const Outcome outcome = check(words, folder);
    EXPECT_EQ(outcome.code, 2) << reason;
    EXPECT_THAT(outcome.errors, testing::StartsWith("faultline-check: " + reason));
    EXPECT_THAT(outcome.errors, HasSubstr("\nfaultline-check FILE ["));
  }
}

TEST(Checker, ReadsRegularFilesOnly) {
  const Certificates folder;
  ASSERT_EQ(::mkfifo((folder.path / "pipe").c_str(), 0600), 0);
  for (const char* path : {".", "/dev/zero", "/dev/null", "pipe", "missing", "new\nline"})
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{path}, {"c", "--network", path}, {"c", "--relation", path}}) {
      const Outcome outcome = check(words, folder);
      EXPECT_EQ(outcome.code, 2) << path;
      EXPECT_EQ(outcome.output, "");
      EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    }
}

TEST(Checker, BelievesNoCount) {
  const Certificates folder;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"virtual-channels 1", "virtual-channels 1000000000000"},
           {"switches 4", "switches 18446744073709551615"},
           {"terminals 4", "terminals 1000000000000"},
           {"channels 16", "channels 1000000000000"}}) {
    (void)folder.file("x", folder.changed("\n" + from, "\n" + to));
    const Outcome outcome = check({"x"}, folder);
    EXPECT_EQ(outcome.code, 1) << to << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("malformed or out of range")) << to;
  }
}

TEST(Checker, ComparesWhatItIsAskedToOrSaysThatItCannot) {
  const Certificates folder;
  (void)folder.file("none", "# nothing is dead\n");
  (void)folder.file("one", "1\n");
  EXPECT_EQ(check({"c", "--dead", "none"}, folder).code, 0);
  EXPECT_EQ(check({"c", "--dead", "one"}, folder).code, 1);
  for (const char* option : {"--network", "--relation", "--dead", "--expect"}) {
    const Outcome outcome = check({"d", option, "none"}, folder);
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.errors, HasSubstr("cannot be compared with a network"));
  }
}

/// A list of cables says neither which relation is installed nor which channels are dead.
TEST(Checker, SaysWhatItHasNotCompared) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program({"verify", "fat-tree", "k=2", "n=2", "--faults", "1", "--certificate", "c",
                         "--relation-out", "r"},
                        folder.path)
                .code,
            0);
  const std::string text = read_file(folder.path / "c", "test");
  std::string cables, dead;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("n ") || line.starts_with("i ") || line.starts_with("e ")) cables += line + "\n";
    if (line.starts_with("dead ")) dead = line.substr(5) + "\n";
  }
  (void)folder.file("cables", cables);
  (void)folder.file("dead", dead);
  const std::string relation = "this holds for the relation inside the certificate",
                    channels = "takes 1 channel for dead";
  const auto says = [&](const std::vector<std::string>& words) {
    const Outcome outcome = check(words, folder);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    return std::pair(outcome.output.find(relation) != std::string::npos,
                     outcome.output.find(channels) != std::string::npos);
  };
  EXPECT_EQ(says({"c"}), std::pair(true, true));
  EXPECT_EQ(says({"c", "--network", "cables"}), std::pair(true, true));
  EXPECT_EQ(says({"c", "--relation", "r"}), std::pair(false, true));
  EXPECT_EQ(says({"c", "--network", "cables", "--dead", "dead"}), std::pair(true, false));
}

/// FORMAT.md: one number a line, so that a list of no dead channels is empty.
TEST(Checker, TakesAnEmptyListOfDeadChannels) {
  const Certificates folder;
  (void)folder.file("empty", "");
  (void)folder.file("x", folder.changed("\ndead -", "\ndead 0"));
  EXPECT_EQ(check({"c", "--dead", "empty"}, folder).code, 0);
  const Outcome other = check({"x", "--dead", "empty"}, folder);
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.output, HasSubstr("channel 0 is dead in the certificate only"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"empty"}, {"c", "--network", "empty"}, {"c", "--relation", "empty"}}) {
    const Outcome outcome = check(words, folder);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("is empty"));
  }
}

TEST(Checker, ShowsNoEscapeSequences) {
  const Certificates folder;
  (void)folder.file("x", folder.changed("routing fta", std::string("routing \x1b[31m\0\xc2\x9b", 16)));
  const Outcome outcome = check({"x", "--expect", "other"}, folder);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("with '?[31m\?\?\?', not 'other'"));
  EXPECT_EQ(std::ranges::count_if(outcome.output, [](char c) { return c == '\x1b' || c == '\0'; }), 0);
}

}  // namespace
}  // namespace faultline
