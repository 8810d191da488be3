// SPDX-License-Identifier: Apache-2.0
// Shared by the program's verbs.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "command_options.h"
#include "faultline/base/progress.h"
#include "faultline/study/case.h"
#include "interruption.h"

namespace faultline::app {

enum ExitCode : int { success = 0, failed_run = 1, bad_input = 2, negative_verdict = 3 };

/// What a verb does once its options are read; returns the exit status.
using Run = std::function<int(Interruption&)>;

/// A verb that is not a question about one network (those are kinds: src/study/kinds/) is one file in
/// verbs/, named after it: `study` is verbs/study.cpp, `design switches` verbs/design_switches.cpp.
struct Command {
  std::string_view name;
  std::string_view summary;
  /// Adds positionals and options to the command. Null for a name that only groups sub-verbs.
  Run (*add)(CommandOptions options);
};

/// A verb as the command line knows it.
struct Verb {
  CLI::App* command = nullptr;
  Run run;  ///< empty if a sub-verb must follow
};

/// Adds every verb: the questions, then the files of verbs/ by name.
[[nodiscard]] std::vector<Verb> add_verbs(CLI::App& program);
/// The verbs that ask about one network.
[[nodiscard]] std::vector<Verb> add_questions(CLI::App& program, const std::shared_ptr<KnownValues>& known);

using Json = nlohmann::ordered_json;

/// "k=4" words after a kind's name, or one compact word "kind:k=4".
[[nodiscard]] Description description_from_words(const std::string& path,
                                                 const std::vector<std::string>& words);

/// One line on standard error, after the program's name. Never throws: standard error may be closed.
void complain(std::string_view line) noexcept;

/// A remark of an answer, on a line of its own.
void print_note(std::string_view remark);

/// Of the cases of a study that failed: one line for those that fail alike, such as those of all loads of a
/// sweep.
void complain_of_cases(const std::vector<std::string>& failures);

/// For a results file that another program has locked: says that it is waited for.
[[nodiscard]] std::function<void()> says_that_it_waits(const std::string& results);

/// The date, as in 2026-11-23.
[[nodiscard]] std::string today();

/// Prints one JSON value and a line end.
void print_json(const Json& json);

/// A progress bar on standard error, if that is a terminal; otherwise a line if half an hour or more remains,
/// after ten seconds and whenever the time so far has doubled, once TimeToGo can tell.
class ProgressBar {
 public:
  explicit ProgressBar(std::string name);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();
  /// Arguments as for Progress.
  void show(std::string_view what, std::uint64_t done, std::uint64_t total);
  /// show() of this bar, which must outlive it.
  [[nodiscard]] Progress as_progress();

 private:
  void warn(std::string_view what, std::uint64_t done, std::uint64_t total);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace faultline::app

namespace faultline {
[[nodiscard]] std::span<const app::Command* const> commands();
}
