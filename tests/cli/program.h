// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user's shell would.
#pragma once

#include <csignal>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace faultline {

struct Outcome {
  int code = -1;  ///< exit status; 128 + signal when killed
  std::string output, errors;
};

/// `arguments` are passed as they are (no shell). The program runs in `folder`.
[[nodiscard]] Outcome run_program(const std::vector<std::string>& arguments, const std::string& folder = ".");

/// What it answers with --json; expects that it succeeds.
[[nodiscard]] nlohmann::json json_answer(std::vector<std::string> arguments);

/// The same of another program.
[[nodiscard]] Outcome run_other_program(const std::string& program, const std::vector<std::string>& arguments,
                                        const std::string& folder, const std::string& output = {});

/// The same, with "NAME=value" in its environment.
[[nodiscard]] Outcome run_program_with(const std::vector<std::string>& environment,
                                       const std::vector<std::string>& arguments, const std::string& folder);

/// Where the program's output goes: a path to open, "closed", or "broken pipe".
struct Streams {
  std::string output, errors;
};
[[nodiscard]] Outcome run_program_into(const std::vector<std::string>& arguments, const Streams& streams,
                                       const std::string& folder = ".");

/// A started program, killed if it still runs at the end.
class Running {
 public:
  Running(const std::vector<std::string>& arguments, const std::string& folder);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();
  /// Waits, for ten seconds at most, until it handles signal `number`: before that, the loader is at work,
  /// and a signal kills.
  void wait_until_handled(int number) const;
  void signal(int number) const;
  [[nodiscard]] std::string output_so_far() const;
  /// Waits for its end.
  [[nodiscard]] Outcome finish();

 private:
  TemporaryFolder scratch_;
  int process_;
};

/// The same as run_program, with a signal after `milliseconds`.
[[nodiscard]] Outcome run_and_signal(const std::vector<std::string>& arguments, const std::string& folder,
                                     int milliseconds, int signal = SIGKILL);

}  // namespace faultline
