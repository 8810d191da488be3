// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/study.h"

#include <fmt/format.h>

#include "command_line.h"
#include "faultline/base/counted.h"
#include "shell_words.h"

namespace faultline::app::verbs {
namespace {

struct Request {
  std::string file, results;
  std::vector<std::string> set;
  std::uint32_t jobs = 1;
  WorkLimits limits;
  bool json = false;
};

std::vector<std::pair<std::string, std::string>> overrides(const std::vector<std::string>& assignments) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const Description given = parse_assignments("--set", {}, assignments);
  for (const auto& [name, value] : given.fields) pairs.emplace_back(name, to_string(value));
  return pairs;
}

/// A case must not overwrite the study's own files.
void refuse_outputs_over(const Study& study, const std::string& path, const char* what) {
  for (const CaseOutput& output : study.cases.outputs())
    if (is_same_file(output.path, path))
      throw Error(output.field, output.path, fmt::format("is the {}; give another path", what));
}

int run(const Request& request, Interruption& interruption) {
  const Study study = read_study(request.file, overrides(request.set));
  const std::string results =
      request.results.empty() ? std::filesystem::path(request.file).stem().string() + ".db" : request.results;
  refuse_outputs_over(study, request.file, "study");
  refuse_outputs_over(study, results, "results file");
  ResultsStore store(results, ResultsStore::Mode::read_write, says_that_it_waits(results));
  const StopFlag stop = interruption.flag();
  const std::string kept = fmt::format(
      "interrupted; every finished case is kept in {}; rerun the command to resume", printable(results));
  const LastWords words(interruption, [&] { return kept; });
  StudyOutcome outcome;
  {
    ProgressBar bar("study");
    outcome = run_study(study, store,
                        {.jobs = request.jobs,
                         .finished = [&](std::size_t done, std::size_t total,
                                         const Case&) { bar.show("cases", done, total); },
                         .stop = stop,
                         .limits = request.limits});
  }
  interruption.begin_output();
  complain_of_cases(outcome.failures);
  if (request.json) {
    print_json({{"title", study.title},
                {"results", results},
                {"cases", outcome.total},
                {"already_there", outcome.already_there},
                {"computed", outcome.computed},
                {"computed_elsewhere", outcome.computed_elsewhere},
                {"failed", outcome.failures.size()},
                {"failures", outcome.failures},
                {"interrupted", is_set(stop)}});
  } else {
    fmt::print("{}: {}, {} already there, {} computed{}, {} failed; results in {}\n",
               printable(study.title.empty() ? request.file : study.title), counted(outcome.total, "case"),
               outcome.already_there, outcome.computed,
               outcome.computed_elsewhere == 0
                   ? ""
                   : fmt::format(", {} computed by another process", outcome.computed_elsewhere),
               outcome.failures.size(), printable(results));
    if (outcome.failures.size() < outcome.total)
      fmt::print("Next: faultline report {}\n", printable(as_word(results)));
  }
  if (is_set(stop)) complain(kept);
  return outcome.failures.empty() && !is_set(stop) ? success : failed_run;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  options.positional("file", request->file, "study (TOML)");
  options.option("--results", request->results,
                 "results file (default: the study's name with .db, in this folder)");
  options.jobs(request->jobs, "cases to run at a time");
  options.limits(request->limits);
  options.repeated("--set", request->set,
                   "name=value: give the option this value in every experiment whose verb has it, whether "
                   "the study sets it or not");
  options.flag("--json", request->json, "print one JSON value");
  return [request](Interruption& interruption) { return run(*request, interruption); };
}

}  // namespace

extern constinit const Command study{
    "study", "run a grid of cases; finished ones are kept and never computed twice", &add};

}  // namespace faultline::app::verbs
