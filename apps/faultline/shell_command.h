// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "faultline/base/stop.h"

namespace faultline::app {

/// Runs `command` by /bin/sh, with no signal blocked, nor ignored because this program ignores it. Returns
/// its exit status, or 128 + the signal that ended it. Its standard output is `output`, a file descriptor.
/// Once `stop` is set, ends it and what it has started by SIGTERM. Throws Error("command") if the shell
/// cannot be started, or its exit status is lost.
[[nodiscard]] int run_by_shell(const std::string& command, int output, StopFlag stop);

}  // namespace faultline::app
