// SPDX-License-Identifier: Apache-2.0
// The verbs that put a question to one network: their options are the fields of the verb's kind.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "command_line.h"
#include "faultline/topology/kind.h"

namespace faultline::app {
namespace {

struct Request {
  std::vector<std::string> topology;
  std::string routing;
  bool json = false;
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint32_t threads = 1;
};

void print_text(const std::vector<Case>& cases, const std::vector<Json>& results) {
  if (cases.empty()) return;
  const std::string& verb = cases.front().options.kind;
  for (const Json& remark : results.front().value("remarks", Json::array()))
    fmt::print("note: {}\n", remark.get<std::string>());
  if (results.front().contains("relation"))
    fmt::print("relation file  {}\n", results.front()["relation"].get<std::string>());
  if (verb == "simulate") {
    fmt::print("{}", simulate_text(cases, results));
    return;
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (verb == "topology")
      fmt::print("{}", topology_text(cases[i], results[i]));
    else if (verb == "resilience")
      fmt::print("{}", resilience_text(cases[i], results[i]));
    else if (verb == "verify")
      fmt::print("{}", verify_text(cases[i], results[i]));
    else if (verb == "statements")
      fmt::print("{}", statements_text(cases[i], results[i]));
    else
      print_json(results[i]);
  }
}

int answer(const Request& request, const VerbKind& verb, const Description& options) {
  Description routing = request.routing.empty() ? Description{"routing", {}, {}, {}}
                                                : parse_compact("routing", request.routing);
  std::vector<Case> cases;
  for (const Case& one : expand_case({component_from_words("topology", request.topology), routing, options}))
    cases.push_back(canonical_case(one));
  const StopFlag stop = verb.heeds_stop ? stop_on_signals() : nullptr;
  std::vector<Json> results;
  TopologyPtr topology;
  std::string built;
  for (const Case& one : cases) {
    if (is_set(stop)) break;
    if (const std::string wanted = to_compact(one.topology); wanted != built) {
      topology = build_topology(one.topology);
      built = wanted;
    }
    ProgressBar bar(options.kind);
    const Progress show = [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
      bar.show(what, done, total);
    };
    results.push_back(run_case(one, topology, {request.jobs, show, stop, request.threads}));
  }
  if (!request.json)
    print_text({cases.begin(), cases.begin() + static_cast<std::ptrdiff_t>(results.size())}, results);
  else if (cases.size() == 1 && !results.empty())
    print_json(results.front());
  else
    print_json(results);
  const auto unfinished = [](const Json& result) { return result.value("interrupted", false); };
  if (results.size() < cases.size() || std::ranges::any_of(results, unfinished)) {
    fmt::print(stderr, "faultline: interrupted; this is what was finished\n");
    return failed_run;
  }
  const auto refuted = [](const Json& result) {
    return result.contains("holds") && !result["holds"].get<bool>();
  };
  return std::ranges::any_of(results, refuted) ? negative_verdict : success;
}

}  // namespace

std::vector<Verb> add_case_verbs(CLI::App& program) {
  std::vector<Verb> verbs;
  for (const VerbKind* kind : verb_kinds()) {
    const std::string name(kind->info.name);
    CLI::App* command = program.add_subcommand(name, std::string(kind->info.summary));
    command->allow_extras();
    auto request = std::make_shared<Request>();
    command
        ->add_option("topology", request->topology,
                     "kind and parameters: fat-tree k=4 n=3 (see 'faultline list')")
        ->required();
    command->add_option("--routing", request->routing,
                        "routing, with parameters after a colon (default: the topology's)");
    command->add_option("--jobs", request->jobs, "threads; never changes the answer")
        ->check(CLI::Range(1U, 1024U));
    if (kind->info.name == "simulate")
      command
          ->add_option("--threads", request->threads,
                       "vct: threads that share one run of a large network; never changes the answer")
          ->check(CLI::Range(1U, 255U));
    command->add_flag("--json", request->json, "print one JSON value");
    auto options = add_fields(*command, name, kind->info.fields());
    verbs.push_back({command, [request, kind, options] { return answer(*request, *kind, options()); }});
  }
  return verbs;
}

}  // namespace faultline::app
