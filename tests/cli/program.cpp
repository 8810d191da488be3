// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/temporary_folder.h"

namespace faultline {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

pid_t start(const std::vector<std::string>& arguments, const std::string& folder,
            const std::filesystem::path& output, const std::filesystem::path& errors) {
  std::vector<std::string> words{FAULTLINE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
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
  const TemporaryFolder scratch;
  return finish(start(arguments, folder, scratch.path / "out", scratch.path / "err"), scratch);
}

Outcome run_and_signal(const std::vector<std::string>& arguments, const std::string& folder, int milliseconds,
                       int signal) {
  const TemporaryFolder scratch;
  const pid_t child = start(arguments, folder, scratch.path / "out", scratch.path / "err");
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  ::kill(child, signal);
  return finish(child, scratch);
}

}  // namespace faultline
