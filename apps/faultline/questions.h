// SPDX-License-Identifier: Apache-2.0
// A question about one network, asked and answered at the command line.
#pragma once

#include <functional>
#include <string>

#include "command_line.h"
#include "faultline/study/answer.h"

namespace faultline::app {

struct Asking {
  bool json = false;
  std::uint32_t jobs = 1;
  std::uint32_t threads = 1;
  WorkLimits limits;
  /// Completes each answer before its files are written. May be empty.
  std::function<void(const TopologyPtr&, Answer&)> complete;
  /// What is printed after the verb's own text of an answer. May be empty.
  std::function<std::string(const Json&)> further_text;
};

/// Runs the cases, writes their files and prints the answers; returns the exit status.
[[nodiscard]] int ask(const CaseDescription& given, const Asking& asking, Interruption& interruption);

[[nodiscard]] const VerbKind& verify_verb();

/// What --routing says; of no kind where it is left out.
[[nodiscard]] Description routing_description(const std::string& word);

/// The options of every question: --jobs, --threads where the verb's runs may be shared, limits, --json.
void add_asking(CommandOptions& options, const VerbKind& verb, Asking& asking);

}  // namespace faultline::app
