// SPDX-License-Identifier: Apache-2.0
#include "shell_command.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "faultline/base/error.h"

namespace faultline::app {

int run_by_shell(const std::string& command) {
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, "/bin/sh", nullptr, &attributes, words, environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0)
    throw Error("command", command, "cannot be started: " + std::generic_category().message(failure));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace faultline::app
