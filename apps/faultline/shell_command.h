// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace faultline::app {

/// Runs `command` by /bin/sh, with no signal blocked. Returns its exit status, or 128 + the signal that ended
/// it. Throws Error("command") if the shell cannot be started.
[[nodiscard]] int run_by_shell(const std::string& command);

}  // namespace faultline::app
