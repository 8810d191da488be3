// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "faultline/describe/fields.h"
#include "faultline/topology/kind.h"
#include "questions.h"
#include "repair_question.h"
#include "shell_command.h"

namespace faultline::app::verbs {
namespace {

struct Options {
  std::string engine = "repair";
  std::string output;
  double interval = 10;
  std::optional<std::string> command;
  std::uint32_t rounds = 0;

  static void fields(auto& field) {
    field("engine", &Options::engine, any_text(), engine_help);
    field(
        "output", &Options::output, any_text().required(),
        "folder for the new tables (tables.lfts), the fabric (fabric.ibnetdiscover) and its LIDs (guid2lid)");
    field("interval", &Options::interval, between(0.01, 86400), "seconds between two looks at the dump");
    field("command", &Options::command, any_text(),
          "run by the shell each time that tables were written, such as \"pkill -HUP opensm\"");
    field("rounds", &Options::rounds, at_least(0), "looks at the dump before the verb ends; 0: no end");
  }
};

struct Request {
  RepairRequest repair;
  std::uint32_t jobs = 1;
  bool json = false;
};

/// Looks at the dump again and again, and repairs the tables that it wrote last; what comes up again gets its
/// entries of the first tables back.
class Watch {
 public:
  Watch(const Request& request, const Options& options, StopFlag stop)
      : request_(request), repair_(request.repair), options_(options), stop_(stop) {
    repair_.engine = options.engine;
    repair_.folder = options.output;
    const Description engine = parse_compact("engine", options.engine);
    const bool can_go_back = engine.kind == "repair" && engine.find("reference") == nullptr;
    if (can_go_back) repair_.reference = repair_.fabric.tables;
  }

  void run() {
    for (std::uint64_t round = 1;; ++round) {
      look();
      if (round == options_.rounds) return;
      const auto next = std::chrono::steady_clock::now() + std::chrono::duration<double>(options_.interval);
      while (std::chrono::steady_clock::now() < next) {
        end_if_set(stop_);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }

 private:
  void look() {
    try {
      std::string dump = read_file(repair_.fabric.dump, "dump");
      if (dump == seen_) return;
      seen_ = std::move(dump);
      repair();
    } catch (const Error& error) {  // a dump that is being written, or of no network
      report({{"error", error.what()}});
    }
  }

  void repair() {
    const CaseDescription asked = repair_question(repair_);
    const Case one = resolve_case(asked);
    const TopologyPtr topology = build_topology(one.topology);
    Answer answer = run_case(one, topology, {.threads = request_.jobs, .progress = {}, .stop = stop_});
    complete_repair(repair_, topology, answer);
    Json event;
    for (const char* key : {"lost_routes", "total_entries", "changed_entries", "max_link_load", "connected",
                            "unreachable_pairs", "deadlock_free", "holds"})
      event[key] = answer.json[key];
    const bool changes = answer.json["changed_entries"] != 0 || answer.json["changed_switch_entries"] != 0;
    event["written"] = nullptr;
    if (changes) {
      write_files(answer.files);
      repair_.tables_in_use = answer.files.front().content;
      event["written"] = options_.output;
    }
    event["command_status"] = nullptr;
    if (changes && options_.command) event["command_status"] = run_by_shell(*options_.command);
    report(event);
  }

  void report(const Json& event) const {
    const std::string now = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr)));
    if (request_.json) {
      Json line{{"time", now}};
      line.update(event);
      fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
    } else if (event.contains("error")) {
      fmt::print("{}  {}\n", now, printable(event["error"].get<std::string>(), 1000));
    } else {
      fmt::print("{}  {}\n", now, text_of(event));
    }
    std::fflush(stdout);
  }

  static std::string text_of(const Json& event) {
    const auto number = [&](const char* key) {
      return event[key].is_null() ? std::string("?") : std::to_string(event[key].get<std::uint64_t>());
    };
    std::string text = event["lost_routes"].is_null() ? "no tables were in use"
                                                      : number("lost_routes") + " routes were lost, " +
                                                            number("changed_entries") + " entries change";
    text += event["connected"].get<bool>() ? "; every pair is connected"
                                           : "; " + number("unreachable_pairs") + " PAIRS ARE NOT CONNECTED";
    text += event["deadlock_free"].get<bool>() ? ", free of deadlock" : ", NOT PROVED FREE OF DEADLOCK";
    if (!event["written"].is_null()) text += "; written to " + printable(event["written"].get<std::string>());
    if (!event["command_status"].is_null()) text += "; command ended with status " + number("command_status");
    return text;
  }

  const Request& request_;
  RepairRequest repair_;
  const Options& options_;
  StopFlag stop_;
  std::string seen_;
};

int run(const Request& request, const Description& given, Interruption& interruption) {
  const auto options = read_params<Options>(given);
  require_folder(options.output);
  const LastWords words(interruption, [&] {
    return fmt::format("interrupted; the tables last written are in {}", printable(options.output));
  });
  try {
    Watch(request, options, interruption.flag()).run();
  } catch (const Stopped&) {
    interruption.begin_output();
    complain(fmt::format("interrupted; the tables last written are in {}", printable(options.output)));
    return failed_run;
  }
  return success;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  request->repair.fabric.add_to(options);
  const auto given = options.fields("watch", fields_of<Options>());
  options.jobs(request->jobs, "threads; never changes the answer");
  options.flag("--json", request->json, "print one JSON value for each change, on a line of its own");
  return [request, given](Interruption& interruption) { return run(*request, given(), interruption); };
}

}  // namespace

extern constinit const Command fabric_watch{
    "fabric watch",
    "repair a fabric's forwarding tables each time that its dump changes, and run a command that loads them",
    &add};

}  // namespace faultline::app::verbs
