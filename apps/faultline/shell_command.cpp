// SPDX-License-Identifier: Apache-2.0
#include "shell_command.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "faultline/base/error.h"

namespace faultline::app {
namespace {

/// In a process group of its own.
pid_t start(const std::string& command) {
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, "/bin/sh", nullptr, &attributes, words, environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0)
    throw Error("command", command, "cannot be started: " + std::generic_category().message(failure));
  return child;
}

}  // namespace

int run_by_shell(const std::string& command, StopFlag stop) {
  const pid_t child = start(command);
  int status = 0;
  bool is_ended = false;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (is_set(stop) && !is_ended) {
      ::kill(-child, SIGTERM);
      is_ended = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace faultline::app
