// SPDX-License-Identifier: Apache-2.0
// What the verbs of the program share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faultline/describe/description.h"
#include "faultline/study/case.h"
#include "interruption.h"

namespace faultline::app {

enum ExitCode : int { success = 0, failed_run = 1, bad_input = 2, negative_verdict = 3 };

/// A subcommand, and what to do when it is the one that was given.
struct Verb {
  CLI::App* command = nullptr;
  std::function<int(Interruption&)> run;
};

using Json = nlohmann::ordered_json;

/// "k=4" words after a kind's name, or one compact word "kind:k=4".
[[nodiscard]] Description component_from_words(const std::string& path,
                                               const std::vector<std::string>& words);

/// Adds one option for each field, to be collected by the returned function into a description of `verb`.
[[nodiscard]] std::function<Description()> add_fields(CLI::App& command, const std::string& verb,
                                                      const std::vector<FieldInfo>& fields);

/// Adds --cpu-hours and --memory-gib, which fill `limits`.
void add_limits(CLI::App& command, WorkLimits& limits);

/// One line on standard error, after the program's name. Never throws: standard error may be closed.
void complain(std::string_view line) noexcept;

/// Prints one JSON value and a line end.
void print_json(const Json& json);

/// A bar on standard error while work goes on, where that is a terminal; elsewhere one line after ten
/// seconds, if hours are to follow.
class ProgressBar {
 public:
  explicit ProgressBar(std::string name);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();
  /// As Progress says.
  void show(std::string_view what, std::uint64_t done, std::uint64_t total);

 private:
  void warn(std::string_view what, std::uint64_t done, std::uint64_t total);
  struct State;
  std::unique_ptr<State> state_;
};

// One function a file.
[[nodiscard]] Verb add_list(CLI::App& program);
[[nodiscard]] std::vector<Verb> add_case_verbs(CLI::App& program);
[[nodiscard]] Verb add_design(CLI::App& program);
[[nodiscard]] Verb add_layout(CLI::App& design);
[[nodiscard]] Verb add_study(CLI::App& program);
[[nodiscard]] Verb add_report(CLI::App& program);
[[nodiscard]] Verb add_reproduce(CLI::App& program);

/// What a person reads instead of the JSON of a case.
[[nodiscard]] std::string topology_text(const Case& one, const Json& result);
[[nodiscard]] std::string resilience_text(const Case& one, const Json& result);
[[nodiscard]] std::string verify_text(const Case& one, const Json& result);
[[nodiscard]] std::string statements_text(const Case& one, const Json& result);
[[nodiscard]] std::string simulate_text(const std::vector<Case>& cases, const std::vector<Json>& results);

}  // namespace faultline::app
