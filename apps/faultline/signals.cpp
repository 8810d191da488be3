// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "command_line.h"

namespace faultline::app {
namespace {

// A signal handler can reach nothing else.
std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

StopFlag stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  return &stop;
}

}  // namespace faultline::app
