// SPDX-License-Identifier: Apache-2.0
// Do the shells complete what the program accepts, and is the manual page valid?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace faultline {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What bash offers for the last of the words.
std::vector<std::string> offered_by_bash(const std::string& words) {
  const TemporaryFolder folder;
  (void)folder.file("completion", run_program({"completion", "bash"}).output);
  const Outcome outcome =
      run_other_program("/bin/bash",
                        {"-c", "source ./completion; COMP_WORDS=(faultline " + words +
                                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _faultline; "
                                   "printf '%s\\n' \"${COMPREPLY[@]}\""},
                        folder.path);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  return lines_of(outcome.output);
}

TEST(Completion, BashOffersVerbsSubVerbsOptionsAndValues) {
  EXPECT_THAT(offered_by_bash("''"), Contains("simulate"));
  EXPECT_EQ(offered_by_bash("simu"), std::vector<std::string>{"simulate"});
  EXPECT_THAT(offered_by_bash("design ''"), Contains("switches"));
  EXPECT_THAT(offered_by_bash("design switches --"), Contains("--terminals"));
  EXPECT_THAT(offered_by_bash("simulate --switching ''"), testing::ElementsAreArray({"vct", "wormhole"}));
  EXPECT_THAT(offered_by_bash("verify fat-"), testing::ElementsAre("fat-tree"));
  EXPECT_THAT(offered_by_bash("simulate torus radix=4x4 --routing dim"),
              testing::ElementsAre("dimension-order"));
  EXPECT_THAT(offered_by_bash("study s.toml --res"), testing::ElementsAre("--results"));
}

TEST(Completion, BashOffersValuesThatTheHelpDoesNotList) {
  EXPECT_THAT(offered_by_bash("fabric verify dump --routing up-"), testing::ElementsAre("up-down"));
  EXPECT_THAT(offered_by_bash("fabric export torus radix=4x4 --routing no"), testing::ElementsAre("none"));
  EXPECT_THAT(offered_by_bash("fabric export fat-"), testing::ElementsAre("fat-tree"));
  EXPECT_THAT(offered_by_bash("fabric repair dump --engine dfs"), testing::ElementsAre("dfsssp"));
  EXPECT_THAT(offered_by_bash("fabric watch dump --engine dfs"), testing::ElementsAre("dfsssp"));
  EXPECT_THAT(offered_by_bash("design layout switch-r"), testing::ElementsAre("switch-ring"));
  EXPECT_THAT(offered_by_bash("reproduce al"), testing::ElementsAre("all"));
  EXPECT_THAT(offered_by_bash("completion ''"), testing::ElementsAre("bash", "zsh", "fish"));
}

TEST(Completion, EveryOptionOfTheHelpIsOffered) {
  for (const char* verb : {"resilience", "report", "design layout"}) {
    std::vector<std::string> words = {"--help"};
    std::istringstream stream(verb);
    for (std::string word; stream >> word;) words.insert(words.end() - 1, word);
    const std::vector<std::string> offered = offered_by_bash(std::string(verb) + " --");
    std::size_t found = 0;
    for (const std::string& line : lines_of(run_program(words).output)) {
      const std::size_t start = line.find("--"), indent = line.find_first_not_of(' ');
      if (start == std::string::npos || indent != 2) continue;
      ++found;
      EXPECT_THAT(offered, Contains(line.substr(start, line.find_first_of(" ", start) - start))) << verb;
    }
    EXPECT_GT(found, 3U) << verb;
  }
}

/// The options of a verb whose help lists words, "--unit … (one of: channel, link)", each with these words.
std::map<std::string, std::vector<std::string>> options_with_words(const std::string& verb) {
  std::vector<std::string> command;
  std::istringstream stream(verb + " --help");
  for (std::string word; stream >> word;) command.push_back(word);
  std::map<std::string, std::vector<std::string>> options;
  std::string option;
  for (const std::string& line : lines_of(run_program(command).output)) {
    const std::size_t dashes = line.find("--"), listed = line.find("(one of: ");
    if (line.find_first_not_of(' ') == 2 && dashes != std::string::npos)
      option = line.substr(dashes, line.find(' ', dashes) - dashes);
    if (listed == std::string::npos) continue;
    std::istringstream words(line.substr(listed + 9, line.find_first_of(";)", listed) - listed - 9));
    for (std::string word; std::getline(words >> std::ws, word, ',');) options[option].push_back(word);
  }
  return options;
}

TEST(Completion, EveryWordThatTheHelpListsIsOffered) {
  std::size_t found = 0;
  for (const std::string verb : {"simulate", "resilience", "topology", "design switches", "fabric whatif"})
    for (const auto& [option, words] : options_with_words(verb)) {
      ++found;
      EXPECT_THAT(offered_by_bash(verb + " " + option + " ''"), testing::UnorderedElementsAreArray(words))
          << verb << " " << option;
    }
  EXPECT_GE(found, 20U);
  EXPECT_THAT(offered_by_bash("simulate --agent ''"), Contains("none"));
}

TEST(Completion, ZshReadsItsScript) {
  const TemporaryFolder folder;
  (void)folder.file("_faultline", run_program({"completion", "zsh"}).output);
  const Outcome outcome = run_other_program("/usr/bin/env", {"zsh", "-n", "_faultline"}, folder.path);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

TEST(Completion, FishOffersVerbsAndValues) {
  const TemporaryFolder folder;
  (void)folder.file("faultline.fish", run_program({"completion", "fish"}).output);
  const auto offered = [&](const std::string& line) {
    return run_other_program("/usr/bin/env",
                             {"HOME=" + folder.path.string(), "fish", "--no-config", "-c",
                              "source faultline.fish; complete -C'" + line + "'"},
                             folder.path)
        .output;
  };
  EXPECT_THAT(offered("faultline simu"), HasSubstr("simulate\tthroughput"));
  EXPECT_THAT(offered("faultline design "), HasSubstr("layout"));
  EXPECT_THAT(offered("faultline simulate --switching "), HasSubstr("wormhole"));
  EXPECT_THAT(offered("faultline study --res"), HasSubstr("--results"));
}

TEST(Completion, AnUnknownShellIsRefused) {
  const Outcome outcome = run_program({"completion", "csh"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("bash, zsh, fish"));
}

TEST(Manual, NamesEveryVerbAndEveryOptionOfAQuestion) {
  const std::string page = run_program({"manual"}).output;
  EXPECT_TRUE(page.starts_with(".TH FAULTLINE 1"));
  const auto list = nlohmann::json::parse(run_program({"list", "--json"}).output);
  for (const auto& verb : list.at("verbs")) {
    EXPECT_THAT(page, HasSubstr("faultline " + verb["name"].get<std::string>() + " topology"));
    for (const auto& field : verb["fields"]) {
      std::string name = "\\fB\\-\\-";
      for (const char c : field["name"].get<std::string>()) name += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(page, HasSubstr(name + "\\fR"));
    }
  }
  EXPECT_THAT(page, HasSubstr("faultline design switches"));
}

}  // namespace
}  // namespace faultline
