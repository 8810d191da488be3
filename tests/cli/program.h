// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user's shell would.
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace faultline {

struct Outcome {
  int code = -1;  ///< exit status; 128 + signal when killed
  std::string output, errors;
};

/// `arguments` are passed as they are (no shell). The program runs in `folder`.
[[nodiscard]] Outcome run_program(const std::vector<std::string>& arguments, const std::string& folder = ".");

/// The same, with a signal after `milliseconds`.
[[nodiscard]] Outcome run_and_signal(const std::vector<std::string>& arguments, const std::string& folder,
                                     int milliseconds, int signal = SIGKILL);

}  // namespace faultline
