// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "support/temporary_folder.h"

namespace faultline {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void redirect(const std::string& target, int standard) {
  if (target == "closed") {
    ::close(standard);
    return;
  }
  if (target == "broken pipe") {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(127);
    ::close(ends[0]);
    ::dup2(ends[1], standard);
    ::close(ends[1]);
    return;
  }
  const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(file, standard);
  ::close(file);
}

pid_t start(const std::vector<std::string>& arguments, const std::string& folder, const std::string& output,
            const std::string& errors, const std::vector<std::string>& environment = {},
            const std::string& program = FAULTLINE_PROGRAM) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (const std::string& assignment : environment) ::putenv(const_cast<char*>(assignment.c_str()));
  redirect(errors, STDERR_FILENO);
  redirect(output, STDOUT_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(127);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

Outcome finish(pid_t child, const TemporaryFolder& scratch) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(scratch.path / "out"),
          content(scratch.path / "err")};
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const std::string& folder) {
  return run_program_into(arguments, {}, folder);
}

nlohmann::json json_answer(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  return nlohmann::json::parse(outcome.output);
}

Outcome run_other_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& folder, const std::string& output) {
  const TemporaryFolder scratch;
  return finish(start(arguments, folder, output.empty() ? (scratch.path / "out").string() : output,
                      scratch.path / "err", {}, program),
                scratch);
}

Outcome run_program_with(const std::vector<std::string>& environment,
                         const std::vector<std::string>& arguments, const std::string& folder) {
  const TemporaryFolder scratch;
  return finish(start(arguments, folder, scratch.path / "out", scratch.path / "err", environment), scratch);
}

Outcome run_program_into(const std::vector<std::string>& arguments, const Streams& streams,
                         const std::string& folder) {
  const TemporaryFolder scratch;
  const std::string output = scratch.path / "out", errors = scratch.path / "err";
  return finish(start(arguments, folder, streams.output.empty() ? output : streams.output,
                      streams.errors.empty() ? errors : streams.errors),
                scratch);
}

Running::Running(const std::vector<std::string>& arguments, const std::string& folder)
    : process_(start(arguments, folder, scratch_.path / "out", scratch_.path / "err")) {}

Running::~Running() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Running::wait_until_handled(int number) const {
  const auto handled = [&] {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);)
      if ((line.starts_with("SigCgt:") ||
           line.starts_with("SigBlk:")) &&  // caught, or waited for by a thread
          (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1U) != 0)
        return true;
    return false;
  };
  for (int tries = 0; tries < 1000 && !handled(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void Running::signal(int number) const { ::kill(process_, number); }

std::string Running::output_so_far() const { return content(scratch_.path / "out"); }

Outcome Running::finish() { return faultline::finish(std::exchange(process_, 0), scratch_); }

Outcome run_and_signal(const std::vector<std::string>& arguments, const std::string& folder, int milliseconds,
                       int signal) {
  Running program(arguments, folder);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  program.signal(signal);
  return program.finish();
}

}  // namespace faultline
