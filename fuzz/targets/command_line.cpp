// SPDX-License-Identifier: Apache-2.0
// Command lines, one word per line: everything that happens before a network is built.
#include <CLI/CLI.hpp>

#include "../../apps/faultline/command_line.h"
#include "faultline/study/case_list.h"
#include "faultline/topology/kind.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

constexpr std::uint64_t max_cases = 50;

std::vector<std::string> words_of(std::string_view bytes) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', start), bytes.size());
    words.emplace_back(bytes.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

void read(std::string_view bytes) {
  CLI::App program;
  std::vector<std::string> topology;
  std::string routing;
  std::uint32_t jobs = 1;
  std::vector<std::pair<CLI::App*, std::function<Description()>>> verbs;
  std::vector<std::string> words = words_of(bytes);
  for (const VerbKind* kind : verb_kinds()) {
    if (std::ranges::find(words, kind->info.name) == words.end())
      continue;  // most of the time goes into these
    app::CommandOptions options =
        app::CommandOptions::of_new(program, kind->info.name, "", std::make_shared<app::KnownValues>());
    options.words("topology", topology, "");
    options.option("--routing", routing, "");
    options.jobs(jobs, "");
    verbs.emplace_back(&options.command(), options.fields(std::string(kind->info.name), kind->info.fields()));
  }
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw Error("command line", "", error.what());
    return;
  }
  if (jobs < 1 || jobs > 1024) defect("a number was narrowed");
  for (const auto& [command, options] : verbs) {
    if (!command->parsed()) continue;
    CaseList cases(max_cases);
    CaseDescription asked{
        app::description_from_words("topology", topology),
        routing.empty() ? Description{.path = "routing"} : parse_compact("routing", routing), options()};
    const auto files = std::make_shared<InputFiles>();
    files->close();
    asked.options.description.files = files;
    cases.add(asked, "command line");
    canary(command->get_name() == "verify" && cases.size() > 2);
  }
}

}  // namespace

extern constinit const Target command_line{"command_line",
                                           [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
