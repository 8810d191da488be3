// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "command_line.h"
#include "fabric_words.h"
#include "faultline/base/counted.h"
#include "faultline/describe/fields.h"
#include "faultline/study/what_if.h"
#include "faultline/topology/kind.h"

namespace faultline::app::verbs {
namespace {

struct Options {
  Nested<RoutingKind> engine{"repair", {}};
  std::uint32_t failures = 1;
  std::string unit = "link", scope = "network";
  std::uint64_t samples = 10'000, seed = 1;
  std::uint32_t list = 20;

  static void fields(auto& field) {
    field("engine", &Options::engine, nested(),
          "routing that computes new tables after each failure; with tables, no new ones are computed");
    field("failures", &Options::failures, between(1, 4), "components that fail together");
    field("unit", &Options::unit, sum_of({"link", "switch", "terminal"}), "type of component that fails");
    field(
        "scope", &Options::scope, one_of({"network", "terminal", "all"}),
        "which components may fail: cables between switches, cables of adapters, or both; with unit switch, "
        "terminal means switches with adapters, network and all mean every switch");
    field("samples", &Options::samples, at_least(1), "sets of failures drawn; all sets if there are no more");
    field("seed", &Options::seed, at_least(0), "seed of the sets that are drawn");
    field("list", &Options::list, at_least(0),
          "sets listed in the text, the worst first: by the routes that are lost, those of adapters that are "
          "cut off included; the JSON has all");
  }
};

struct Request {
  FabricWords fabric;
  std::uint32_t jobs = 1;
  bool json = false;
};

template <class Predicate>
std::uint64_t sets_where(const WhatIf& answer, Predicate is_true) {
  return static_cast<std::uint64_t>(std::ranges::count_if(answer.sets, is_true));
}

std::string failed_text(const WhatIfFailed& set) {
  std::string text;
  for (const std::string& name : set.failed) text += (text.empty() ? "" : " and ") + printable(name);
  if (set.cut_off_pairs != 0) text += fmt::format("; cuts off {}", counted(set.cut_off_pairs, "pair"));
  return text;
}

std::string examined_text(const WhatIf& answer, const Options& options) {
  const std::size_t sets = answer.sets.size();
  const std::string of_failures = " of " + counted(options.failures, "failure");
  if (answer.unexamined != 0)
    return fmt::format("{} of {}", sets, counted(sets + answer.unexamined, "set")) + of_failures;
  if (!answer.exhaustive)
    return fmt::format("{}, drawn from {},", counted(sets, "set"), answer.sets_total) + of_failures;
  return all_counted(sets, "set") + of_failures;
}

bool computes_tables(const Options& options) {
  return options.engine.resolved.kind().survival != Survival::fixed_paths;
}

void print_head(const Topology& topology, const WhatIf& answer, const Options& options) {
  fmt::print("{}: {} (unit {}, scope {})\n", printable(topology.name(), 1000), examined_text(answer, options),
             options.unit, options.scope);
  const TableUse& healthy = answer.healthy;
  fmt::print(
      "  {}: {} (an adapter port to a LID of another), {} of them lost without a failure; {} for adapters; "
      "at most {} {} a channel between switches\n",
      answer.tables_are_given
          ? "tables in use"
          : fmt::format("no tables are given; those that {} computes", to_compact(options.engine.resolved)),
      counted(healthy.routes, "route"), healthy.lost_routes, counted(healthy.entries, "entry"),
      counted(healthy.max_link_load, "route"), agreeing(healthy.max_link_load, "uses", "share"));
  if (const std::uint64_t pairs = answer.unreachable_pairs; pairs != 0)
    fmt::print("  {} {} unconnected without a failure{}, and {} not counted below\n", counted(pairs, "pair"),
               agreeing(pairs, "is", "are"), answer.unreachable_by_new_tables ? ", also by new tables" : "",
               agreeing(pairs, "is", "are"));
  if (!answer.deadlock_free)
    fmt::print(
        "  without a failure, the tables in use are not proved free of deadlock on one virtual lane: fabric "
        "repair makes tables that are\n");
}

void print_table(const WhatIf& answer, const Options& options) {
  const bool reacts = computes_tables(options);
  const std::size_t listed = std::min<std::size_t>(options.list, answer.sets.size());
  if (listed == 0) return;
  const std::string then = "then " + std::string(options.engine.resolved.kind().info.name);
  fmt::print("  {:>7}  {:>8}", answer.healthy.lost_routes == 0 ? "routes" : "newly", "entries");
  if (reacts) fmt::print("   {}: {:>5}  {:>8}  {:>8}", then, "pairs", "entries", "busiest");
  fmt::print("\n  {:>7}  {:>8}", "lost", "broken");
  if (reacts) fmt::print("   {:>{}}  {:>8}  {:>8}", "lost", then.size() + 7, "changed", "channel");
  fmt::print("   failed\n");
  for (const WhatIfFailed& set : std::span(answer.sets).first(listed)) {
    fmt::print("  {:>7}  {:>8}", set.before.newly_lost_routes, set.before.crossed_entries);
    if (set.after && !set.after->made)
      fmt::print("   {:>{}}  {:>8}  {:>8}", "-", then.size() + 7, "-", "-");
    else if (set.after)
      fmt::print("   {:>{}}  {:>8}  {:>8}", set.after->newly_unreachable_pairs, then.size() + 7,
                 set.after->changed_entries, set.after->max_link_load);
    fmt::print("   {}{}\n", failed_text(set),
               !set.after                  ? ""
               : !set.after->made          ? "; NO TABLES: NEEDS MORE VIRTUAL CHANNELS THAN IT MAY USE"
               : !set.after->deadlock_free ? "; NOT PROVED FREE OF DEADLOCK ON ONE VIRTUAL LANE"
                                           : "");
  }
  if (listed < answer.sets.size())
    fmt::print("  … and {}, after which as many routes arrive or more: see --list and --json\n",
               counted(answer.sets.size() - listed, "set"));
  fmt::print("  entries broken: those of the tables in use whose packets do not arrive{}\n",
             reacts ? "; changed: those that new tables add, leave out or give another port" : "");
}

void print_sums(const WhatIf& answer) {
  const auto losing =
      sets_where(answer, [](const WhatIfFailed& set) { return set.before.newly_lost_routes != 0; });
  fmt::print("  until new tables are loaded: {} of {} {} routes{}\n", losing,
             counted(answer.sets.size(), "set"), agreeing(losing, "loses", "lose"),
             answer.healthy.lost_routes == 0 ? "" : " that were not lost before");
  if (const auto cutting = sets_where(answer, [](const WhatIfFailed& set) { return set.cut_off_pairs != 0; });
      cutting != 0)
    fmt::print("  whatever is loaded: {} {} adapters off, whose routes are not counted\n",
               counted(cutting, "set"), agreeing(cutting, "cuts", "cut"));
  if (answer.sets.empty() || !answer.sets.front().after) return;
  std::uint64_t changed = 0;
  for (const WhatIfFailed& set : answer.sets) changed = std::max(changed, set.after->changed_entries);
  const auto splitting =
      sets_where(answer, [](const WhatIfFailed& set) { return set.after->newly_unreachable_pairs != 0; });
  const auto unproved = sets_where(
      answer, [](const WhatIfFailed& set) { return set.after->made && !set.after->deadlock_free; });
  const auto cyclic = sets_where(answer, [](const WhatIfFailed& set) {
    return set.after->deadlock_free && !set.after->acyclic_with_switches;
  });
  const auto unmade = sets_where(answer, [](const WhatIfFailed& set) { return !set.after->made; });
  fmt::print(
      "  with new tables: {} {} some pair unconnected{}, {} {} not proved free of deadlock on one virtual "
      "lane; at most {} for adapters {}\n",
      splitting, agreeing(splitting, "leaves", "leave"),
      answer.unreachable_pairs == 0 ? "" : " that is connected without a failure", unproved,
      agreeing(unproved, "is", "are"), counted(changed, "entry"), agreeing(changed, "changes", "change"));
  if (unmade != 0)
    fmt::print("  {} {} without new tables: the engine needs more virtual channels than it may use\n",
               counted(unmade, "set"), agreeing(unmade, "is", "are"));
  if (cyclic != 0)
    fmt::print(
        "  of those proved free of deadlock, {} {} a cycle of channel dependencies with packets to and from "
        "switches themselves\n",
        cyclic, agreeing(cyclic, "has", "have"));
}

/// New tables are proved, and connect every pair that a path is left for.
bool splits_only(const WhatIfFailed& set) {
  return set.after && set.after->made && set.after->deadlock_free &&
         set.after->newly_unreachable_pairs <= set.separated_pairs;
}

void print_verdict(const WhatIf& answer, const Options& options) {
  const auto failing =
      sets_where(answer, [](const WhatIfFailed& set) { return !set.holds() && !splits_only(set); });
  const auto splitting = sets_where(answer, [](const WhatIfFailed& set) { return set.separated_pairs != 0; });
  std::vector<std::string> reasons;
  if (answer.may_deadlock())
    reasons.emplace_back("the tables in use are not proved free of deadlock (see faultline fabric verify)");
  if (splitting != 0)
    reasons.push_back(fmt::format(
        "{} of {} {} the fabric: adapters that still have a cable have no path to others, whatever is loaded",
        splitting, counted(answer.sets.size(), "set"), agreeing(splitting, "splits", "split")));
  if (failing != 0)
    reasons.push_back(
        computes_tables(options)
            ? fmt::format("after {} of {}, new tables leave a pair unconnected that has a path, or are not "
                          "proved free of deadlock",
                          failing, counted(answer.sets.size(), "set"))
            : fmt::format("{} of {} {} routes, and engine {} computes no new tables", failing,
                          counted(answer.sets.size(), "set"), agreeing(failing, "loses", "lose"),
                          options.engine.resolved.kind().info.name));
  if (reasons.empty() && answer.unexamined != 0)
    fmt::print("holds for the sets examined before the interruption, which are not all\n");
  else if (reasons.empty() && !answer.exhaustive)
    fmt::print("holds for the sets drawn, which are not all\n");
  else if (reasons.empty() && !computes_tables(options))
    fmt::print("holds: no set loses a route\n");
  else if (reasons.empty())
    fmt::print("holds: new tables connect every pair that is not cut off{}, without deadlock\n",
               answer.unreachable_pairs == 0 ? "" : " and is connected without a failure");
  else
    fmt::print("DOES NOT HOLD: {}\n", fmt::join(reasons, "; "));
}

int run(const Request& request, const Description& given, Interruption& interruption) {
  const auto options = read_params<Options>(given);
  const TopologyPtr topology = build_topology(request.fabric.description());
  const FaultComponents components(topology, fault_units(options.unit, "unit"),
                                   fault_scope(options.scope, "scope"));
  WhatIf answer;
  {
    ProgressBar bar("what if");
    answer = what_if(topology, components,
                     {.engine = options.engine.resolved,
                      .failures = options.failures,
                      .max_sets = options.samples,
                      .seed = options.seed,
                      .threads = request.jobs,
                      .stop = interruption.flag()},
                     bar.as_progress());
  }
  interruption.begin_output();
  if (request.json) {
    print_json(to_json(answer));
  } else {
    for (const std::string& remark : answer.remarks) print_note(remark);
    print_head(*topology, answer, options);
    print_table(answer, options);
    print_sums(answer);
    print_verdict(answer, options);
  }
  if (answer.unexamined != 0) {
    complain(fmt::format("interrupted; {} not examined", counted(answer.unexamined, "set")));
    return failed_run;
  }
  return answer.holds() && answer.exhaustive ? success : negative_verdict;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  request->fabric.add_to(options);
  const auto given = options.fields("whatif", fields_of<Options>());
  options.jobs(request->jobs, "threads; never changes the answer");
  options.flag("--json", request->json, "print one JSON value");
  return [request, given](Interruption& interruption) { return run(*request, given(), interruption); };
}

}  // namespace

extern constinit const Command fabric_whatif{
    "fabric whatif",
    "what each cable's failure costs: the routes lost until new tables are loaded, and what these change",
    &add};

}  // namespace faultline::app::verbs
