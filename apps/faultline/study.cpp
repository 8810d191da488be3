// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/study.h"

#include <fmt/format.h>

#include <thread>

#include "command_line.h"

namespace faultline::app {
namespace {

struct Request {
  std::string file, results;
  std::vector<std::string> set;
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
};

std::vector<std::pair<std::string, std::string>> overrides(const std::vector<std::string>& assignments) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const Description given = parse_assignments("--set", {}, assignments);
  for (const auto& [name, value] : given.fields) pairs.emplace_back(name, to_text(value));
  return pairs;
}

int run(const Request& request) {
  const Study study = read_study(request.file, overrides(request.set));
  const std::string results =
      request.results.empty() ? std::filesystem::path(request.file).stem().string() + ".db" : request.results;
  ResultsStore store(results, ResultsStore::Mode::read_write);
  const StopFlag stop = stop_on_signals();
  StudyOutcome outcome;
  {
    ProgressBar bar("study");
    outcome = run_study(study, store,
                        {.jobs = request.jobs,
                         .finished = [&](std::size_t done, std::size_t total,
                                         const Case&) { bar.show("cases", done, total); },
                         .stop = stop});
  }
  for (const std::string& failure : outcome.failures) fmt::print(stderr, "faultline: {}\n", failure);
  if (request.json)
    print_json({{"title", study.title},
                {"results", results},
                {"cases", outcome.total},
                {"already_there", outcome.already_there},
                {"computed", outcome.computed},
                {"failed", outcome.failures.size()}});
  else
    fmt::print(
        "{}: {} cases, {} already there, {} computed, {} failed; results in {}\nNext: faultline report {}\n",
        study.title.empty() ? request.file : study.title, outcome.total, outcome.already_there,
        outcome.computed, outcome.failures.size(), results, results);
  if (is_set(stop))
    fmt::print(stderr, "faultline: interrupted; the same command goes on where this one stopped\n");
  return outcome.failures.empty() && !is_set(stop) ? success : failed_run;
}

}  // namespace

Verb add_study(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "study", "run a grid of cases; finished ones are kept, and never computed twice");
  command->allow_extras();
  auto request = std::make_shared<Request>();
  command->add_option("file", request->file, "study (TOML)")->required();
  command->add_option("--results", request->results,
                      "results file (default: the study's name with .db, in this folder)");
  command->add_option("--jobs", request->jobs, "cases run at a time")->check(CLI::Range(1U, 1024U));
  command->add_option("--set", request->set, "name=value: replace an option in every experiment that has it")
      ->allow_extra_args(false);
  command->add_flag("--json", request->json, "print one JSON value");
  return {command, [request] { return run(*request); }};
}

}  // namespace faultline::app
