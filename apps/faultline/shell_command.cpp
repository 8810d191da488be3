// SPDX-License-Identifier: Apache-2.0
#include "shell_command.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "faultline/base/error.h"

namespace faultline::app {
namespace {

/// In a process group of its own.
pid_t start(const std::string& command, int output) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  sigset_t none, by_default;
  sigemptyset(&none);
  sigemptyset(&by_default);
  for (const int ignored_here : {SIGPIPE, SIGXFSZ}) sigaddset(&by_default, ignored_here);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &by_default);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, "/bin/sh", &files, &attributes, words, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0)
    throw Error("command", command, "cannot be started: " + std::generic_category().message(failure));
  return child;
}

bool is_running(pid_t child, const std::string& command, int& status) {
  const pid_t ended = ::waitpid(child, &status, WNOHANG);
  if (ended < 0 && errno != EINTR)
    throw Error("command", command, "its exit status is unknown: " + std::generic_category().message(errno));
  return ended != child;
}

}  // namespace

int run_by_shell(const std::string& command, int output, StopFlag stop) {
  const pid_t child = start(command, output);
  int status = 0;
  bool is_ended = false;
  while (is_running(child, command, status)) {
    if (is_set(stop) && !is_ended) {
      ::kill(-child, SIGTERM);
      is_ended = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace faultline::app
