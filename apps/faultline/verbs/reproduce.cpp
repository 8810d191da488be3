// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "command_line.h"
#include "faultline/base/file.h"
#include "faultline/report/report.h"
#include "faultline/study/case.h"
#include "faultline/study/verdicts.h"

namespace faultline::app::verbs {
namespace {

constexpr const char* every_paper = "all";

struct Request {
  std::string paper, results, table, output;
  std::uint32_t jobs = 1;
  bool with_long = false;
  bool only_stored = false;
  bool report = false;
  bool json = false;
};

struct Judged {
  std::string name;
  Paper paper;
  std::vector<Record> records = {};
  std::vector<Finding> findings = {};
  std::vector<std::string> failures = {};  ///< messages of cases
  bool all_computed = true;                ///< no case failed
};

std::string results_of(const std::string& name, const Request& request) {
  return request.results.empty() ? name + ".db" : request.results;
}

/// Results computed before, if any.
Judged judge_stored(const std::string& name, const Request& request) {
  Judged judged{.name = name, .paper = find_paper(name)};
  std::error_code failure;
  if (const std::string file = results_of(name, request); std::filesystem::exists(file, failure)) {
    const ResultsStore store(file, ResultsStore::Mode::read, says_that_it_waits(file));
    judged.records = store.all();
    judged.failures = store.failures();
  }
  judged.findings = judge(judged.paper, judged.records);
  return judged;
}

/// Finished cases are kept in the results file, and never computed twice.
Judged reproduce(const std::string& name, const Request& request, StopFlag stop) {
  Judged judged{.name = name, .paper = find_paper(name)};
  const std::string file = results_of(name, request);
  ResultsStore store(file, ResultsStore::Mode::read_write, says_that_it_waits(file));
  StudyOutcome outcome;
  {
    ProgressBar bar(name);
    outcome = run_study(judged.paper.study, store,
                        {.jobs = request.jobs,
                         .finished = [&](std::size_t done, std::size_t total,
                                         const Case&) { bar.show("cases", done, total); },
                         .stop = stop});
  }
  complain_of_cases(outcome.failures);
  judged.all_computed = outcome.failures.empty();
  judged.records = store.all();
  judged.failures = store.failures();
  judged.findings = judge(judged.paper, judged.records);
  return judged;
}

void print_text(const Judged& judged) {
  fmt::print("{}\n  {:<12} {:>18} {:>9} {:>19}  {:<23} {}\n", judged.name, "verdict", "printed", "ours",
             "(95 % interval)", "source", "claim");
  std::string explained;
  for (const Finding& finding : judged.findings) {
    const FindingText text = text_of(finding);
    const std::string range = finding.interval ? "(" + text.interval + ")" : "";
    fmt::print("  {:<12} {:>18} {:>9} {:>19}  {:<23} {}\n", to_string(finding.verdict), text.printed,
               text.ours, range, finding.source, finding.claim);
    if (!finding.explanation.empty() && finding.explanation != explained)
      fmt::print("      why: {}\n", explained = finding.explanation);
  }
}

/// The papers, and what is known about each from its results file.
int list(const Request& request, Interruption& interruption) {
  Json all = Json::array();
  for (const std::string& name : paper_names()) {
    const Judged judged = judge_stored(name, request);
    all.push_back({{"paper", name},
                   {"title", judged.paper.study.title},
                   {"long", judged.paper.is_long},
                   {"statements", judged.findings.size()},
                   {"results", judged.records.empty() ? Json(nullptr) : Json(results_of(name, request))},
                   {"verdicts", to_json(count_verdicts(judged.findings))}});
  }
  interruption.begin_output();
  if (request.json) {
    print_json(all);
    return success;
  }
  fmt::print("{:<29} {:>10} {:>7} {:>10} {:>10} {:>7} {:>13}\n", "paper", "statements", "agree", "within 5 %",
             "undecided", "differ", "not computed");
  for (const Json& one : all) {
    const Json& verdicts = one.at("verdicts");
    fmt::print("{:<29} {:>10} {:>7} {:>10} {:>10} {:>7} {:>13}  {}{}\n", one.at("paper").get<std::string>(),
               one.at("statements").get<std::size_t>(), verdicts.at("agrees").get<std::size_t>(),
               verdicts.at("within_5_percent").get<std::size_t>(),
               verdicts.at("undecided").get<std::size_t>(), verdicts.at("differs").get<std::size_t>(),
               verdicts.at("not_computed").get<std::size_t>(), one.at("title").get<std::string>(),
               one.at("long").get<bool>() ? " (long)" : "");
  }
  fmt::print(
      "\nVerdicts are read from the results files in this folder (PAPER.db).\n"
      "  faultline reproduce PAPER           computes what is missing and gives a verdict on every claim\n"
      "  faultline reproduce all --report    does so for all but the long ones (--long: for them too), and "
      "writes one page\n");
  return success;
}

constexpr const char* interrupted = "interrupted; finished cases are kept; rerun the command to resume";

std::vector<std::string> wanted(const Request& request) {
  return request.paper == every_paper ? paper_names() : std::vector{request.paper};
}

void check_name(const std::string& paper) {
  const std::vector<std::string> names = paper_names();
  std::vector<std::string_view> known(names.begin(), names.end());
  known.push_back(every_paper);
  if (std::ranges::find(known, paper) == known.end())
    throw Error(Error::Parts{"paper",
                             paper,
                             fmt::format("must be one of: {}", fmt::join(known, ", ")),
                             nearest_name(paper, known),
                             {}});
}

/// Without a paper, papers are listed and no file is written.
void check_list(const Request& request) {
  if (!request.table.empty()) throw Error("table", request.table, "must be used with a paper: name one");
  if (request.report) throw Error("report", "true", "must be used with a paper, or all: name one");
  if (request.only_stored) throw Error("stored", "true", "must be used with a paper, or all: name one");
  if (!request.results.empty())
    throw Error("results", request.results, "must be used with a paper: name one");
}

std::string page_of(const Request& request) {
  if (!request.output.empty()) return request.output;
  return (request.paper == every_paper ? "papers" : request.paper) + ".html";
}

void check_outputs(const Request& request) {
  std::vector<CaseOutput> outputs;
  if (!request.table.empty()) outputs.push_back({request.table, "table"});
  if (request.report) outputs.push_back({page_of(request), "output"});
  std::vector<CaseInput> results;
  for (const std::string& name : wanted(request)) results.push_back({results_of(name, request), {}});
  refuse_lost_files(results, outputs);
  check_output_paths(outputs);
}

void check(const Request& request) {
  if (!request.output.empty() && !request.report)
    throw Error("output", request.output, "must be used with report");
  if (request.with_long && request.paper != every_paper)
    throw Error("long", "true", "must be used with all: a paper that is named is computed, however long");
  if (request.paper.empty()) return check_list(request);
  check_name(request.paper);
  check_outputs(request);
  if (request.paper != every_paper) return;
  if (!request.table.empty())
    throw Error("table", request.table, "applies to one paper; name it instead of all");
  if (!request.results.empty())
    throw Error("results", request.results, "applies to one paper; name it instead of all");
}

std::string write_page(const Request& request, const std::vector<Judged>& judged) {
  const std::string output = page_of(request);
  nlohmann::json papers = nlohmann::json::array();
  for (const Judged& one : judged) {
    nlohmann::json findings = nlohmann::json::array();
    for (const Finding& finding : one.findings) findings.push_back(nlohmann::json(page_finding(finding)));
    papers.push_back({{"name", one.name}, {"title", one.paper.study.title}, {"findings", findings}});
  }
  // The cases of one paper can be drawn with its verdicts; those of all papers are too many for a page.
  const std::vector<Record> none;
  const bool alone = judged.size() == 1;
  write_file(output,
             render_report(alone ? judged.front().records : none,
                           {.title = alone ? judged.front().paper.study.title : "Papers and our results",
                            .date = today(),
                            .failures = alone ? judged.front().failures : std::vector<std::string>(),
                            .papers = papers}),
             "output");
  return output;
}

int run(const Request& request, Interruption& interruption) {
  check(request);
  if (request.paper.empty()) return list(request, interruption);
  const StopFlag stop = interruption.flag();
  const LastWords words(interruption, [] { return interrupted; });
  std::vector<Judged> all;
  for (const std::string& name : wanted(request)) {
    const bool only_stored = request.only_stored ||
                             (request.paper == every_paper && !request.with_long && find_paper(name).is_long);
    all.push_back(only_stored ? judge_stored(name, request) : reproduce(name, request, stop));
    if (is_set(stop)) {
      interruption.begin_output();
      complain(interrupted);
      return failed_run;
    }
  }
  if (!request.table.empty())
    write_file(request.table,
               verdict_page(all.front().paper, all.front().name, all.front().findings, today()), "table");
  const std::string page = request.report ? write_page(request, all) : "";
  Json findings = Json::array();
  for (const Judged& judged : all)
    for (const Finding& finding : judged.findings) findings.push_back(to_json(finding));
  interruption.begin_output();
  if (request.json) {
    print_json(findings);
  } else {
    for (const Judged& judged : all) print_text(judged);
    if (!page.empty()) fmt::print("page in {}\n", printable(page));
  }
  return std::ranges::all_of(all, &Judged::all_computed) ? success : failed_run;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  options.optional_positional("paper", request->paper,
                              fmt::format("{}, or all", fmt::join(paper_names(), ", ")));
  std::vector<std::string> papers = paper_names();
  papers.emplace_back(every_paper);
  options.complete("paper", std::move(papers));
  options.option("--results", request->results,
                 "results file (default: the paper's name with .db, in this folder)");
  options.jobs(request->jobs, "cases to run at a time");
  options.flag("--long", request->with_long,
               "all: also compute the long papers, instead of only judging their stored results");
  options.flag("--stored", request->only_stored, "judge only stored results; compute nothing");
  options.option("--table", request->table, "write the verdicts as a Markdown page to this file");
  options.flag("--report", request->report, "write one page of HTML with the verdicts");
  options.option("-o,--output", request->output,
                 "page to write (default: the paper's name with .html; papers.html for all)");
  options.flag("--json", request->json, "print one JSON value: a list of findings, or of papers");
  return [request](Interruption& interruption) { return run(*request, interruption); };
}

}  // namespace

extern constinit const Command reproduce{
    "reproduce",
    "compare a paper's numbers and orderings with ours, with a verdict on each; without a paper, list all",
    &add};

}  // namespace faultline::app::verbs
