// SPDX-License-Identifier: Apache-2.0
// What happens if nobody can, or will, read what the program writes?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "program.h"

namespace faultline {
namespace {

TEST(Streams, AFullStandardOutputIsAFailure) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"list"}, {"list", "--json"}, {"topology", "fat-tree", "k=2", "n=2"}}) {
    const Outcome outcome = run_program_into(arguments, {.output = "/dev/full"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.errors, "faultline: standard output cannot be written: No space left on device\n");
  }
}

TEST(Streams, AFullDiskIsAFailureAndNoBadInput) {
  const Outcome outcome = run_program({"verify", "fat-tree", "k=2", "n=2", "--certificate", "/dev/full"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors,
            "faultline: verify.certificate = '/dev/full': cannot be written (No space left on device); free "
            "some space and try again\n");
}

TEST(Streams, AnOutputMayBeAnOpenDescriptor) {
  const TemporaryFolder folder;
  const std::vector<std::string> words{"verify", "ruft", "k=2", "n=2", "--certificate"};
  const auto run = [&](const std::string& path, const std::string& rest) {
    std::string command = "exec \"$0\"";
    for (const std::string& word : words) command += " " + word;
    return run_other_program("/bin/sh", {"-c", command + " " + path + rest, FAULTLINE_PROGRAM}, folder.path);
  };
  for (const auto& [path, rest] : std::vector<std::pair<std::string, std::string>>{
           {"/dev/stdout", ""}, {"/dev/fd/1", ""}, {"/dev/stdout", " | cat"}, {"/dev/fd/7", " 7>&1"}}) {
    const Outcome outcome = run(path, rest);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, testing::StartsWith("faultline-certificate 2\n")) << path << rest;
    EXPECT_THAT(outcome.output, testing::HasSubstr("\nend\nruft:k=2,n=2: holds\n")) << path << rest;
  }
}

TEST(Streams, AFileThatMayGrowNoFurtherIsAFailure) {
  const TemporaryFolder folder;
  const Outcome outcome = run_other_program(
      "/bin/sh",
      {"-c", "ulimit -f 1; exec \"$0\" verify torus radix=8x8 --certificate c --json", FAULTLINE_PROGRAM},
      folder.path);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("verify.certificate = 'c': cannot be written"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(Streams, AReaderWhoLeavesIsNoCrash) {
  const Outcome outcome = run_program_into({"list", "--json"}, {.output = "broken pipe"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Streams, AClosedStandardOutputIsAFailureAndNoFileGetsItsNumber) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program_into({"verify", "fat-tree", "k=2", "n=2", "--certificate", "c.cert"},
                                           {.output = "closed"}, folder.path);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(read_file(folder.path / "c.cert", "test"), testing::StartsWith("faultline-certificate"));
  EXPECT_THAT(read_file(folder.path / "c.cert", "test"), testing::EndsWith("end\n"));
}

TEST(Streams, ComplaintsThatNobodyCanReadAreLost) {
  for (const char* errors : {"/dev/full", "closed", "broken pipe"})
    EXPECT_EQ(run_program_into({"topology", "fat-tree", "k=1", "n=2"}, {.errors = errors}).code, 2) << errors;
}

TEST(Streams, NamesFromFilesCannotCommandATerminal) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "red.json",
      R"({"nodes": [{"id": "a\u001b[31m\nred"}, {"id": "b"}], "edges": [{"source": "a\u001b[31m\nred", "target": "b"}]})");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"resilience", "graph", "file=" + file, "--unit", "link", "--cuts", "3"},
        std::vector<std::string>{"verify", "graph", "file=" + file, "--unit", "link", "--faults", "1"},
        std::vector<std::string>{"simulate", "graph", "file=" + file, "--load", "0.1", "--channel-load"}}) {
    const Outcome outcome = run_program(command);
    EXPECT_THAT(outcome.output, testing::HasSubstr("a\\x1b[31m\\nred")) << command.front();
    EXPECT_THAT(outcome.output, testing::Not(testing::HasSubstr("\x1b"))) << command.front();
  }
}

TEST(Streams, WhatAUserWroteIsShownOnOneLine) {
  const std::string nasty = "a\nb\x1b[31m\xff" + std::string(100'000, 'x');
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{nasty},
        {"topology", nasty},
        {"topology", "fat-tree", nasty},
        {"topology", "fat-tree", "k=" + nasty, "n=2"},
        {"topology", "fat-tree", nasty + "=2", "n=2"},
        {"topology", "fat-tree", "k=2", "n=2", "--" + nasty},
        {"topology", "fat-tree", "k=2", "n=2", "--jobs", nasty},
        {"topology", "fat-tree", "k=2", "n=2", "--routing", nasty},
        {"simulate", "fat-tree", "k=2", "n=2", "--load", nasty},
        {"simulate", "fat-tree", "k=2", "n=2", "--load", "0.1", "--traffic", nasty},
        {"simulate", "fat-tree", "k=2", "n=2", "--load", "0.1", "--faults", nasty},
        {"study", nasty},
        {"study", "x.toml", "--set", nasty},
        {"report", nasty},
        {"reproduce", nasty}}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.errors;
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << arguments.front();
    EXPECT_LT(outcome.errors.size(), 6000U) << outcome.errors.substr(0, 300);
    EXPECT_EQ(outcome.errors.find('\x1b'), std::string::npos);
    EXPECT_EQ(outcome.errors.find('\xff'), std::string::npos);
  }
}

}  // namespace
}  // namespace faultline
