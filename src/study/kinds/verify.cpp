// SPDX-License-Identifier: Apache-2.0
#include "faultline/verify/verify.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "faultline/results/json.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/table_export.h"
#include "faultline/selection/selection.h"
#include "faultline/study/answer.h"
#include "faultline/study/case.h"
#include "faultline/topology/labellings.h"
#include "faultline/verify/fault_verification.h"
#include "study/answer_text.h"
#include "study/fault_options.h"
#include "study/relation_output.h"
#include "study/work_sizes.h"

namespace faultline::verbs {
namespace {

using Json = nlohmann::ordered_json;

Json named(const std::vector<std::pair<TerminalId, TerminalId>>& pairs, const Topology& topology) {
  Json list = Json::array();
  for (const auto& [source, destination] : pairs)
    list.push_back({topology.name(source), topology.name(destination)});
  return list;
}

Json to_json(const VerifiedFaults& point) {
  const auto interval = [](const Interval& bounds) { return Json::array({bounds.low, bounds.high}); };
  return {{"faults", point.faults},
          {"sets", point.sets},
          {"exhaustive", point.exhaustive},
          {"disconnected_sets", point.disconnected},
          {"cut_off_sets", point.cut_off},
          {"likely_sets", point.likely},
          {"disconnected_interval", interval(point.disconnected_interval)},
          {"not_deadlock_free_sets", point.not_deadlock_free},
          {"not_deadlock_free_interval", interval(point.not_deadlock_free_interval)},
          {"endless_sets", point.endless},
          {"witness", point.witness}};
}

/// What the sources hold, as shares of all ordered pairs of switches.
std::string plans_text(const Json& plans) {
  const double pairs = plans["pairs"].get<double>();
  const auto share = [&](const char* key) {
    return fmt::format("{:.3g} %", 100 * plans[key].get<double>() / std::max(1.0, pairs));
  };
  std::string text = fmt::format(
      "  {:<22} {} of pairs directly; {} via an intermediate switch, {} with adaptivity off, {} misrouted\n",
      "plans", share("direct"), share("intermediate"), share("deterministic"), share("misrouted"));
  text += fmt::format("  {:<22} {:.3g} on average, at most {}\n", "hops beyond shortest",
                      plans["extra_hops_mean"].get<double>(), count_text(plans["extra_hops_max"]));
  text += fmt::format("  {:<22} {} bits per header; {:.0f} bits per source on average, at most {}\n",
                      "memory at sources", count_text(plans["header_bits"]),
                      plans["source_bits_mean"].get<double>(), count_text(plans["source_bits_max"]));
  return text;
}

std::string sets_text(const Json& point) {
  const std::string sets = count_text(point["sets"]);
  return point["exhaustive"].get<bool>() ? "all " + sets + " sets" : sets + " drawn sets";
}

/// A line for every pair, so that a script can read them.
std::string livelocks_text(const Json& pairs, const std::string& failed) {
  std::string text;
  for (const Json& pair : pairs)
    text +=
        fmt::format("  may never arrive       {} -> {}{}\n", name_text(pair[0]), name_text(pair[1]), failed);
  return text;
}

struct VerifyVerb : StaticFaultOptions {
  std::string switching = "vct";
  std::optional<Nested<SelectionKind>> selection;
  std::uint32_t all_faults_up_to = 0;
  std::uint64_t sets = 1000;
  bool list_livelocks = false;
  std::optional<std::string> certificate, relation_out, tables_out;
  std::uint64_t seed = 1;

  static void fields(auto& field) {
    using V = VerifyVerb;
    field("switching", &V::switching, one_of({"vct", "wormhole"}), "virtual cut-through or wormhole");
    field("selection", &V::selection, nested().written_out(),
          "selection function; one that commits to an option needs acyclic dependencies, first those of the "
          "first "
          "options alone (default: one that does not commit)");
    StaticFaultOptions::fields(field);
    field("all-faults-up-to", &V::all_faults_up_to, between(0, 64),
          "also verify fault sets of up to this many faults: all of a size, or `samples` of them");
    field("samples", &V::sets, at_least(1),
          "fault sets drawn for each number of faults; all sets if there are no more");
    field("list-livelocks", &V::list_livelocks, {},
          "list every pair whose packets may travel for ever, for each fault set verified");
    field("certificate", &V::certificate, output_path(),
          "write the proof, or the deadlock, to this file for faultline-check; it does not cover the sets of "
          "all-faults-up-to");
    field("relation-out", &V::relation_out, output_path(), relation_out_help);
    field("tables-out", &V::tables_out, output_path(),
          "of a fabric: write the routing, recomputed without the faults that switches know, as forwarding "
          "tables, in the form that ibroute prints and OpenSM's file engine loads");
    field("seed", &V::seed, at_least(0), "seed of the random faults");
  }
  static std::vector<VerifyVerb> samples() { return {{}}; }

  /// Checks that need no network.
  void check(const Description& given) const { check_faults(given); }

  [[nodiscard]] WorkEstimate estimate(const CaseContext& context) const {
    const FaultComponents among = components(context.topology, context.options);
    double fault_sets = faults == "0" ? 0 : 1;
    for (std::uint32_t count = 1; count <= all_faults_up_to; ++count)
      fault_sets += fault_sets_of(among.count(), count, static_cast<double>(sets));
    const RelationSize size = relation_size(context);
    // A relation file lists every state; a certificate leaves out symmetric destinations.
    const int written = int{certificate.has_value()};
    WorkEstimate work = faults == "0" ? enumeration(size, written) : WorkEstimate{};
    if (fault_sets > 0) work = work + enumeration_with_faults(size, fault_sets);
    return relation_out ? work + writing(size) : work;
  }

  [[nodiscard]] Answer run(const CaseContext& context) const {
    const Switching model = switching == "vct" ? Switching::cut_through : Switching::wormhole;
    const RoutingKind& kind = context.routing.kind();
    const Knowledge known = knowledge_asked(kind, context.options);
    const SourceRole role = source_asked(kind, context.options);
    if (tables_out)  // before anything is computed
      (void)context.topology->labelling<FabricLabelling>(*tables_out, context.options.path_of("tables-out"));
    const ChosenFaults chosen = choose(context.topology, context.routing, seed, context.options);
    const Damage damage{chosen.set, known, role};
    const RelationPtr relation =
        build_relation(context.topology, damage, context.routing, model, SourceOffers::every_start);
    const Verdict verdict =
        faultline::verify(*relation, chosen.set,
                          {.switching = model,
                           .source = role,
                           .selection_commits = commits(),
                           .takes_first = takes_first(),
                           .threads = context.threads,
                           .listed_livelocks = list_livelocks ? std::numeric_limits<std::size_t>::max() : 0,
                           .stop = context.stop},
                          context.progress);
    const OfferedRelation offered = build_offered_relation(context.topology, damage, context.routing, model);
    Answer answer = faultline::to_json(verdict, *context.topology);
    Json& json = answer.json;
    json["routing"] = to_compact(context.routing);
    json["virtual_channels"] = relation->virtual_channels();
    json["knowledge"] = to_string(known);
    json["source"] = to_string(role);
    if (list_livelocks) json["livelocks"] = named(verdict.livelocks, *context.topology);
    json["certificate"] = nullptr;
    if (certificate && verdict.method != DeadlockMethod::unproved) {
      answer.files.push_back({context.options.path_of("certificate"), *certificate,
                              certificate_text(offered.relation, offered.damage, verdict,
                                               {.switching = model,
                                                .selection_commits = commits(),
                                                .takes_first = takes_first(),
                                                .routing = to_compact(context.routing),
                                                .threads = context.threads})});
      json["certificate"] = *certificate;
    }
    report_relation(*offered.relation, kind, relation_out, context.options.path_of("relation-out"), answer);
    if (!chosen.names.empty() || all_faults_up_to > 0) remark_on_sending_again(*relation, answer);
    if (tables_out) add_tables(*offered.relation, chosen.set, context, answer);
    if (!chosen.names.empty()) json["failed"] = chosen.names;
    if (const PlanFigures* const plans = relation->plan_figures()) json["plans"] = faultline::to_json(*plans);
    const bool faults_hold = all_faults_up_to == 0 ||
                             add_fault_sets(context,
                                            {context.routing, model, known, role, all_faults_up_to, sets,
                                             seed, context.stop, commits(), takes_first(), list_livelocks},
                                            json);
    json["holds"] = verdict.positive() && faults_hold;
    return answer;
  }

  static std::string text(const Case& one, const Json& result) {
    std::string text = fmt::format("{}: {}\n", printable(to_compact(one.topology), 1000),
                                   result["holds"].get<bool>() ? "holds" : "DOES NOT HOLD");
    const auto line = [&](std::string_view label, const std::string& value) {
      text += labelled_line(label, value);
    };
    if (result.contains("routing")) line("routing", name_text(result["routing"]));
    if (result.contains("failed")) text += failed_text(result["failed"]);
    const bool any_cut_off = result.value("cut_off_pairs", std::uint64_t{0}) != 0;
    line("connected",
         result["connected"].get<bool>()
             ? any_cut_off ? "yes, every pair of terminals that are not cut off" : "yes, every pair"
             : fmt::format("no: {} may fail to arrive",
                           result["unreachable_pairs"] == 1
                               ? "1 pair"
                               : count_text(result["unreachable_pairs"]) + " pairs"));
    for (const Json& pair : result["unreachable"])
      line("", fmt::format("{} -> {}", name_text(pair[0]), name_text(pair[1])));
    if (result["unreachable_pairs"].get<std::uint64_t>() > result["unreachable"].size()) line("", "…");
    if (any_cut_off)
      line("cut off",
           fmt::format("{} more pairs have a terminal all of whose injection or ejection channels are "
                       "dead; no routing could serve them",
                       count_text(result["cut_off_pairs"])));
    const auto method = result["method"].get<std::string>();
    if (result["deadlock_free"].get<bool>())
      line("free of deadlock", fmt::format("proved by {}{}", method,
                                           result["virtual_channels"] == 1
                                               ? ""
                                               : fmt::format(", on {} virtual channels",
                                                             count_text(result["virtual_channels"]))));
    else
      line("free of deadlock", method == "deadlock" ? "no: these packets wait for each other"
                                                    : "not proved, and no deadlock found");
    for (const Json& packet : result["cycle"])
      line("", fmt::format("{}, virtual channel {}: {} -> {}", name_text(packet["channel"]),
                           packet["vc"].get<int>(), name_text(packet["source"]),
                           name_text(packet["destination"])));
    line("free of livelock", result["livelock_free"].get<bool>()
                                 ? fmt::format("at most {} switches", count_text(result["max_hops"]))
                                 : "no: packets may travel for ever");
    for (const Json& channel : result["endless_walk"]) line("", name_text(channel));
    line("examined", fmt::format("{} states, {} moves, {} channel dependencies", count_text(result["states"]),
                                 count_text(result["moves"]), count_text(result["dependencies"])));
    if (result.contains("plans")) text += plans_text(result["plans"]);
    if (result.contains("livelocks")) text += livelocks_text(result["livelocks"], "");
    if (result.contains("by_faults"))
      for (const Json& point : result["by_faults"]) {
        line(point["faults"] == 1 ? "1 fault" : count_text(point["faults"]) + " faults",
             fmt::format("{}: {} disconnect a pair{}, {} not free of deadlock, {} without a bound on hops",
                         sets_text(point), count_text(point["disconnected_sets"]), cut_off_text(point),
                         count_text(point["not_deadlock_free_sets"]), count_text(point["endless_sets"])));
        if (!point["witness"].empty())
          line("", fmt::format("the first of them: {}", printable(joined(point["witness"]), 1000)));
        if (point.contains("livelocks"))
          for (const Json& one_set : point["livelocks"])
            text += livelocks_text(one_set["pairs"], ", with " + joined(one_set["failed"]) + " failed");
      }
    if (result.contains("tables")) line("tables", tables_text(result));
    const Value* const asked = one.options.description().find("certificate");
    if (asked != nullptr && result["certificate"].is_null())
      line("certificate", "none is written: there is neither a proof nor a deadlock");
    else if (asked != nullptr)
      line("certificate", certificate_text_of(result));
    return text;
  }

 private:
  static std::string failed_text(const Json& names) {
    constexpr std::size_t most_lines = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_lines); ++i)
      text += labelled_line(i == 0 ? "failed" : "", name_text(names[i]));
    if (names.size() > most_lines)
      text += labelled_line("", fmt::format("… and {} more: see --json", names.size() - most_lines));
    return text;
  }

  /// Of sets of faults that take the last channel to or from a terminal: that is no fault of the routing.
  static std::string cut_off_text(const Json& point) {
    const auto sets = point.value("cut_off_sets", std::uint64_t{0});
    return sets == 0 ? "" : fmt::format(" of terminals that are not cut off ({} cut off some)", sets);
  }

  static std::string certificate_text_of(const Json& result) {
    const std::string_view covers = !result.contains("by_faults") ? ""
                                    : result.contains("failed")
                                        ? "for what failed above, without further faults; "
                                        : "for the network without faults, not for the sets above; ";
    return fmt::format("{} ({}check it with faultline-check)", name_text(result["certificate"]), covers);
  }

  void add_tables(const RoutingRelation& relation, const FaultSet& dead, const CaseContext& context,
                  Answer& answer) const {
    const TableExport made = export_tables(relation, dead, context.routing.kind().info.name);
    const auto& fabric = context.topology->labelling<FabricLabelling>("verify").fabric;
    answer.files.push_back(
        {context.options.path_of("tables-out"), *tables_out, infiniband::to_lft_dump(made.tables, fabric)});
    answer.json["tables"] = *tables_out;
    answer.json["total_entries"] = made.entries;
    const auto count_or_null = [](const std::optional<std::uint64_t>& count) {
      return count ? Json(*count) : Json();
    };
    answer.json["changed_entries"] = count_or_null(made.changed);
    answer.json["switch_entries"] = made.switch_entries;
    answer.json["changed_switch_entries"] = count_or_null(made.changed_for_switches);
    answer.json["without_lid"] = Json::array();
    for (const TerminalId terminal : made.without_lid)
      answer.json["without_lid"].push_back(context.topology->name(terminal));
  }

  static std::string tables_text(const Json& result) {
    std::string text =
        name_text(result["tables"]) + ": " + count_text(result["total_entries"]) + " entries for adapters";
    const auto changed = [](const Json& count) {
      return count.is_null() ? "" : " (" + count_text(count) + " changed or removed)";
    };
    text += changed(result["changed_entries"]) + ", " + count_text(result["switch_entries"]) +
            " for switches" + changed(result["changed_switch_entries"]);
    if (const Json& without = result["without_lid"]; !without.empty())
      text += fmt::format("; none for {} without a LID: {}", count_text(without.size()),
                          printable(joined(without), 300));
    if (!result["deadlock_free"].get<bool>())
      text += result["method"] == "deadlock" ? "; packets that these tables route can deadlock"
                                             : "; not proved free of deadlock";
    else if (result["virtual_channels"] != 1)
      text += fmt::format(
          "; free of deadlock only with service levels for {} virtual lanes, which tables do not "
          "hold",
          count_text(result["virtual_channels"]));
    return text;
  }

  [[nodiscard]] bool commits() const { return selection && selection_rule(selection->resolved).commits(); }
  [[nodiscard]] bool takes_first() const {
    return selection && selection_rule(selection->resolved).takes_first;
  }

  static Json livelocks_of(const VerifiedFaults& point, const Topology& topology) {
    Json list = Json::array();
    for (const Livelocks& one : point.livelocks)
      list.push_back({{"failed", one.failed}, {"pairs", named(one.pairs, topology)}});
    return list;
  }

  /// True when every set verified is connected and free of deadlock and livelock.
  bool add_fault_sets(const CaseContext& context, const FaultVerificationSpec& spec, Json& json) const {
    const FaultComponents among = components(context.topology, context.options);
    bool holds = true;
    json["by_faults"] = Json::array();
    for (const VerifiedFaults& point : verify_fault_sets(context.topology, among, spec, context.progress)) {
      json["by_faults"].push_back(to_json(point));
      if (list_livelocks) json["by_faults"].back()["livelocks"] = livelocks_of(point, *context.topology);
      holds = holds && point.positive();
    }
    return holds;
  }
};

}  // namespace

extern constinit const VerbKind verify = verb_kind<VerifyVerb>(
    "verify",
    "check that a routing is connected and free of deadlock and livelock, with a proof or a counterexample");

}  // namespace faultline::verbs
