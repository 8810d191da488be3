// SPDX-License-Identifier: Apache-2.0
#include "faultline/report/report.h"

#include <fmt/chrono.h>

#include <ctime>
#include <filesystem>

#include "command_line.h"
#include "faultline/base/file.h"
#include "faultline/results/store.h"

namespace faultline::app {
namespace {

struct Request {
  std::string results, output;
  bool json = false;
};

int run(const Request& request) {
  const std::vector<Record> records = ResultsStore(request.results, ResultsStore::Mode::read).all();
  const std::string output = request.output.empty()
                                 ? std::filesystem::path(request.results).replace_extension(".html").string()
                                 : request.output;
  const std::time_t now = std::time(nullptr);
  write_file(output, render_report(records, {.date = fmt::format("{:%Y-%m-%d}", fmt::localtime(now))}),
             "output");
  if (request.json)
    print_json({{"report", output}, {"records", records.size()}});
  else
    fmt::print("{} records, report in {}\n", records.size(), output);
  return success;
}

}  // namespace

Verb add_report(CLI::App& program) {
  CLI::App* command = program.add_subcommand("report", "write a results file as one page of HTML");
  command->allow_extras();
  auto request = std::make_shared<Request>();
  command->add_option("results", request->results, "results file of a study")->required();
  command->add_option("-o,--output", request->output,
                      "page to write (default: the results file's name with .html)");
  command->add_flag("--json", request->json, "print one JSON value");
  return {command, [request] { return run(*request); }};
}

}  // namespace faultline::app
