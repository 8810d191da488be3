// SPDX-License-Identifier: Apache-2.0
#include "faultline/report/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "command_line.h"
#include "faultline/base/counted.h"
#include "faultline/base/file.h"
#include "faultline/results/store.h"

namespace faultline::app::verbs {
namespace {

struct Request {
  std::string results, output;
  bool json = false;
  bool opens_files = false;
};

int run(const Request& request, Interruption& interruption) {
  const LastWords words(interruption, [] { return "interrupted; no page was written"; });
  const std::string output = request.output.empty()
                                 ? std::filesystem::path(request.results).replace_extension(".html").string()
                                 : request.output;
  if (is_same_file(output, request.results))
    throw Error("output", output, "would replace the results file; give another path");
  const ResultsStore store(request.results, ResultsStore::Mode::read, says_that_it_waits(request.results));
  check_output_paths({{output, "output"}});
  const std::vector<Record> records = store.all();
  const std::vector<std::string> failures = store.failures();
  const std::string page =
      render_report(records, {.date = today(), .opens_files = request.opens_files, .failures = failures});
  write_file(output, page, "output");
  interruption.begin_output();
  if (request.json)
    print_json({{"report", output}, {"records", records.size()}, {"failures", failures.size()}});
  else
    fmt::print("{}{}, report in {}\n", counted(records.size(), "record"),
               failures.empty() ? "" : fmt::format(", {}", counted(failures.size(), "failed case")),
               printable(output));
  return success;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  options.positional("results", request->results, "results file of a study");
  options.option("-o,--output", request->output,
                 "page to write (default: the results file's name with .html)");
  options.flag("--open-files", request->opens_files,
               "also draw networks that are described by files, by opening the files that the results name");
  options.flag("--json", request->json, "print one JSON value");
  return [request](Interruption& interruption) { return run(*request, interruption); };
}

}  // namespace

extern constinit const Command report{"report", "write a results file as one page of HTML", &add};

}  // namespace faultline::app::verbs
