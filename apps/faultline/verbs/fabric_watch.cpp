// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "cable_names.h"
#include "faultline/base/counted.h"
#include "faultline/base/disk_error.h"
#include "faultline/describe/fields.h"
#include "faultline/routing/kind.h"
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
        "folder for the new tables (tables.lfts), the fabric (fabric.ibnetdiscover) and its LIDs (guid2lid); "
        "where it holds tables when the verb starts, these are in use, unless the file --tables is newer");
    field("interval", &Options::interval, between(0.01, 86400), "seconds between two looks at the dump");
    field("command", &Options::command, any_text(),
          "run by the shell after the first look, each time that tables were written, such as \"pkill -HUP "
          "opensm\", and again until it succeeds; not for tables on which packets can deadlock");
    field("rounds", &Options::rounds, at_least(0),
          "looks at the dump before the verb ends, with the exit status that fabric repair would have for "
          "the last one, or 1 if the command has not succeeded; 0: no end");
  }
};

struct Request {
  RepairRequest repair;
  std::uint32_t jobs = 1;
  bool json = false;
};

/// When a file was written; of one that is gone, the earliest time.
std::filesystem::file_time_type time_of(const std::string& path) {
  std::error_code failure;
  return std::filesystem::last_write_time(path, failure);
}

/// The names of those of `some` that are not among `others`.
Json missing_in(const CableNames& others, const CableNames& some) {
  Json names = Json::array();
  for (const auto& [ends, name] : some)
    if (!others.contains(ends)) names.push_back(name);
  return names;
}

/// "down: leaf 1[3] - spine[1]; ", of many cables the first ones; nothing of none.
std::string cables_text(std::string_view what, const Json& cables) {
  constexpr std::size_t most = 3;
  if (cables.empty()) return "";
  std::string text = fmt::format("{}: ", what);
  for (std::size_t i = 0; i < std::min(most, cables.size()); ++i)
    text += (i > 0 ? ", " : "") + printable(cables[i].get<std::string>());
  if (cables.size() > most) text += fmt::format(" and {} more", cables.size() - most);
  return text + "; ";
}

/// Looks at the dump again and again, and repairs the tables that it wrote last; what comes up again gets its
/// entries of the first tables back. What fails is tried again at the next look.
class Watch {
 public:
  Watch(const Request& request, const Options& options, StopFlag stop)
      : request_(request), repair_(request.repair), options_(options), stop_(stop) {
    repair_.engine = options.engine;
    repair_.folder = options.output;
    const Description engine = parse_compact("engine", options.engine);
    if (engine.kind == "repair" && engine.find("reference") == nullptr)
      repair_.reference = repair_.fabric.tables;
  }

  /// Returns the status of the last look.
  ExitCode run() {
    refuse_lasting_errors(repair_);
    require_folder(options_.output);
    choose_tables_in_use();
    for (std::uint64_t round = 1;; ++round) {
      look();
      if (round == options_.rounds) return status();
      const auto next = std::chrono::steady_clock::now() + std::chrono::duration<double>(options_.interval);
      while (std::chrono::steady_clock::now() < next) {
        end_if_set(stop_);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }

 private:
  [[nodiscard]] ExitCode status() const {
    if (!trouble_.empty()) return trouble_code_;
    return is_command_due_ ? failed_run : verdict_;
  }

  void look() {
    try {
      std::string dump = read_file(repair_.fabric.dump, "dump");
      if (dump != seen_ || !has_written_tables()) {
        repair(dump);
        seen_ = std::move(dump);
      } else if (is_command_due_) {
        load();
        report({{"command_status", command_status_}});
      } else if (!trouble_.empty()) {
        report({{"error", nullptr}});
      }
      trouble_.clear();
    } catch (const DiskError& error) {  // a full disk
      report_trouble(error, failed_run);
    } catch (const Error& error) {  // a dump that is being written, or of no network
      report_trouble(error, bad_input);
    }
  }

  /// Somebody may have deleted them.
  [[nodiscard]] bool has_written_tables() const {
    std::error_code failure;
    return std::filesystem::exists(new_tables(repair_), failure);
  }

  void report_trouble(const Error& error, ExitCode code) {
    trouble_code_ = code;
    if (trouble_ == error.what()) return;
    trouble_ = error.what();
    report({{"error", trouble_}});
  }

  /// Those that an earlier run wrote last were loaded by its command or are by this one's, unless other
  /// tables were dumped since.
  void choose_tables_in_use() {
    const std::string kept = new_tables(repair_);
    const std::string& given = repair_.fabric.tables;
    if (!has_written_tables()) return;
    const bool is_older = !given.empty() && time_of(kept) < time_of(given);
    if (!is_older) in_folder_ = read_file(kept, "output");
    complain(fmt::format(
        "takes {}, {}, for the tables in use", printable(is_older ? given : kept),
        given.empty() ? "from an earlier run" : "which is newer than " + printable(is_older ? kept : given)));
  }

  void repair(const std::string& dump) {
    require_folder(options_.output);
    repair_.dump = dump;
    repair_.tables_in_use = in_folder_;
    const Case one = resolve_case(repair_question(repair_));
    const TopologyPtr topology = build_topology(one.topology);
    Answer answer = run_case(one, topology, {.threads = request_.jobs, .progress = {}, .stop = stop_});
    complete_repair(repair_, topology, answer);
    if (const Json& lanes = answer.json["virtual_channels"]; lanes != 1)
      throw Error("engine", options_.engine,
                  fmt::format("needs {} virtual lanes for this fabric, and tables hold no service levels: "
                              "nothing is written",
                              lanes.get<std::uint64_t>()));
    Json event;
    for (const char* key : {"lost_routes", "total_entries", "changed_entries", "max_link_load", "connected",
                            "unreachable_pairs", "deadlock_free", "holds"})
      event[key] = answer.json[key];
    event["remarks"] = answer.json.value("remarks", Json::array());
    auto cables = cable_names(*topology);
    event["cables_down"] = cables_ ? missing_in(cables, *cables_) : Json::array();
    event["cables_up"] = cables_ ? missing_in(*cables_, cables) : Json::array();
    const std::string& made = answer.files.back().content;
    const bool is_new = in_folder_ != made;
    const bool is_first = !seen_;  // whether tables of an earlier run were loaded is not known
    const bool is_written = is_new || !has_written_tables();
    event["written"] = is_written ? Json(options_.output) : Json();
    event["command_status"] = nullptr;
    if (is_written) {
      write_files(answer.files);
      in_folder_ = made;
    }
    if (is_new || is_first) is_command_due_ = options_.command && are_worth_loading(answer.json);
    if (is_command_due_) {
      load();
      event["command_status"] = command_status_;
    }
    verdict_ = event["holds"].get<bool>() ? success : negative_verdict;
    report(event);
    cables_ = std::move(cables);
  }

  void load() {
    // Where programs read JSON, what the command prints is not for them.
    command_status_ = run_by_shell(*options_.command, request_.json ? STDERR_FILENO : STDOUT_FILENO, stop_);
    is_command_due_ = command_status_ != 0;
    end_if_set(stop_);
  }

  void print_new_remarks(const Json& remarks) {
    for (const Json& remark : remarks)
      if (std::ranges::find(remarks_, remark) == remarks_.end()) print_note(remark.get<std::string>());
    remarks_ = remarks;
  }
  void report(const Json& event) {
    const std::string now = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr)));
    if (request_.json) {
      Json line{{"time", now}};
      line.update(event);
      fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
    } else if (event.contains("error")) {
      const Json& error = event["error"];
      fmt::print("{}  {}\n", now,
                 error.is_null() ? "recovered: the dump is again the one that was repaired last"
                                 : printable(error.get<std::string>(), 1000));
    } else {
      fmt::print("{}  {}\n", now, text_of(event));
      print_new_remarks(event.value("remarks", remarks_));
    }
    std::fflush(stdout);
  }

  [[nodiscard]] std::string text_of(const Json& event) const {
    if (!event.contains("holds"))
      return fmt::format("command ended with status {}", event["command_status"].get<int>());
    const auto number = [&](const char* key) { return event[key].get<std::uint64_t>(); };
    std::string text = cables_text("down", event["cables_down"]) + cables_text("up", event["cables_up"]);
    if (event["lost_routes"].is_null())
      text += "no tables were in use";
    else
      text += fmt::format("{} {} lost, {} {}", counted(number("lost_routes"), "route"),
                          agreeing(number("lost_routes"), "was", "were"),
                          counted(number("changed_entries"), "entry"),
                          agreeing(number("changed_entries"), "changes", "change"));
    text += event["connected"].get<bool>()
                ? "; every pair is connected"
                : fmt::format("; {} {} NOT CONNECTED", number("unreachable_pairs"),
                              agreeing(number("unreachable_pairs"), "PAIR IS", "PAIRS ARE"));
    text += event["deadlock_free"].get<bool>() ? ", free of deadlock" : ", NOT PROVED FREE OF DEADLOCK";
    if (!event["written"].is_null()) text += "; written to " + printable(event["written"].get<std::string>());
    if (!event["command_status"].is_null())
      text += fmt::format("; command ended with status {}", number("command_status"));
    else if (options_.command && !are_worth_loading(event))
      text += "; the command is not run";
    return text;
  }

  const Request& request_;
  RepairRequest repair_;
  const Options& options_;
  StopFlag stop_;
  std::optional<std::string> seen_;       // the dump that was repaired last
  std::optional<CableNames> cables_;      // of that dump
  std::optional<std::string> in_folder_;  // tables that were written, and are in use
  bool is_command_due_ = false;           // has not loaded them yet
  int command_status_ = 0;
  ExitCode verdict_ = success;         // on the tables that were made last
  std::string trouble_;                // that was reported last, until it is over
  Json remarks_ = Json::array();       // on the last dump and tables
  ExitCode trouble_code_ = bad_input;  // with which `fabric repair` would end for it
};

int run(const Request& request, const Description& given, Interruption& interruption) {
  const auto options = read_params<Options>(given);
  const std::string tables = new_tables({.folder = options.output});
  const auto kept = [&] {
    std::error_code failure;
    return std::filesystem::exists(tables, failure)
               ? fmt::format("interrupted; the tables last written are in {}", printable(options.output))
               : std::string("interrupted; no tables were written");
  };
  const LastWords words(interruption, kept);
  try {
    return Watch(request, options, interruption.flag()).run();
  } catch (const Stopped&) {
    interruption.begin_output();
    complain(kept());
    return failed_run;
  }
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  request->repair.fabric.add_to(options);
  const auto given = options.fields("watch", fields_of<Options>());
  options.complete_kinds("--engine", names_of(&infos_of<RoutingKind>));
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
