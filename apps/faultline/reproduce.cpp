// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/reproduce.h"

#include <fmt/format.h>

#include <thread>

#include "command_line.h"

namespace faultline::app {
namespace {

struct Request {
  std::string paper, results;
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
};

std::vector<std::string> wanted(const Request& request) {
  if (!request.paper.empty()) return {request.paper};
  std::vector<std::string> names;
  for (const std::string& name : paper_names())
    if (!find_paper(name).is_long) names.push_back(name);
  return names;
}

/// Finished cases are kept in the results file, and never computed twice.
std::vector<Finding> reproduce(const std::string& name, const Request& request, StopFlag stop) {
  const Paper paper = find_paper(name);
  ResultsStore store(request.results.empty() ? name + ".db" : request.results,
                     ResultsStore::Mode::read_write);
  ProgressBar bar(name);
  const StudyOutcome outcome = run_study(
      paper.study, store,
      {.jobs = request.jobs,
       .finished = [&](std::size_t done, std::size_t total, const Case&) { bar.show("cases", done, total); },
       .stop = stop});
  for (const std::string& failure : outcome.failures) complain(failure);
  return judge(paper.claims, store.all());
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

void print_text(const std::string& name, const std::vector<Finding>& findings) {
  fmt::print("{}\n  {:<12} {:>18} {:>9} {:>19}  {:<23} {}\n", name, "verdict", "printed", "ours",
             "(95 % interval)", "source", "claim");
  std::string explained;
  for (const Finding& finding : findings) {
    const std::string range =
        finding.interval ? fmt::format("({:.4g} … {:.4g})", finding.interval->low, finding.interval->high)
                         : "";
    fmt::print("  {:<12} {:>18} {:>9} {:>19}  {:<23} {}\n", finding.verdict, finding.printed,
               number(finding.ours), range, finding.source, finding.claim);
    if (!finding.explanation.empty() && finding.explanation != explained)
      fmt::print("      why: {}\n", explained = finding.explanation);
  }
}

constexpr const char* interrupted =
    "interrupted; finished cases are kept, and the same command goes on from there";

int run(const Request& request, Interruption& interruption) {
  const StopFlag stop = interruption.flag();
  const LastWords words(interruption, [] { return interrupted; });
  Json all = Json::array();
  for (const std::string& name : wanted(request)) {
    const std::vector<Finding> findings = reproduce(name, request, stop);
    if (is_set(stop)) {
      interruption.begin_output();
      complain(interrupted);
      break;
    }
    if (!request.json) print_text(name, findings);
    for (const Finding& finding : findings) all.push_back(to_json(finding));
  }
  if (request.json) print_json(all);
  return is_set(stop) ? failed_run : success;
}

}  // namespace

Verb add_reproduce(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "reproduce", "a paper's numbers and orderings beside ours, with a verdict on each");
  command->allow_extras();
  auto request = std::make_shared<Request>();
  command->add_option("paper", request->paper,
                      fmt::format("{} (default: all but the long ones)", fmt::join(paper_names(), ", ")));
  command->add_option("--results", request->results,
                      "results file (default: the paper's name with .db, in this folder)");
  command->add_option("--jobs", request->jobs, "cases run at a time")->check(CLI::Range(1U, 1024U));
  command->add_flag("--json", request->json, "print one JSON value: a list of findings");
  return {command, [request](Interruption& interruption) { return run(*request, interruption); }};
}

}  // namespace faultline::app
