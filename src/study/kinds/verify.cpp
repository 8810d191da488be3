// SPDX-License-Identifier: Apache-2.0
#include "faultline/verify/verify.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "faultline/results/json.h"
#include "faultline/routing/follows_tables.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/table_export.h"
#include "faultline/routing/table_use.h"
#include "faultline/selection/selection.h"
#include "faultline/study/answer.h"
#include "faultline/topology/labellings.h"
#include "faultline/verify/fault_verification.h"
#include "study/addressed_relation.h"
#include "study/fault_options.h"
#include "study/relation_output.h"
#include "study/switching_field.h"
#include "study/unused_options.h"
#include "study/verify_text.h"
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
          {"not_built_sets", point.not_built},
          {"witness", point.witness},
          {"not_built_witness", point.not_built_witness}};
}

/// What the tables in use do with packets while channels are `dead`; null where there are none.
void add_use_before(const Topology& topology, const std::optional<infiniband::ForwardingTables>& tables,
                    const FaultSet& dead, Json& json) {
  std::optional<TableUse> use;
  if (tables) use = ForwardingPaths(topology, *tables).use(dead);
  const auto add = [&](const char* key, std::uint64_t TableUse::*figure) {
    json[key] = use ? Json((*use).*figure) : Json();
  };
  add("dead_entries", &TableUse::dead_entries);
  add("crossed_entries", &TableUse::crossed_entries);
  add("routes", &TableUse::routes);
  add("lost_routes", &TableUse::lost_routes);
  add("max_link_load_before", &TableUse::max_link_load);
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
    switching_field<V>(field);
    field("selection", &V::selection, nested().written_out(),
          "selection function for which freedom of deadlock is proved: if it commits packets to one option, "
          "escape channels of the other options do not count; if it always takes the first option, only that "
          "one is followed (default: one that does not commit)");
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
  void check(const Description& given) const {
    check_faults(given, {.sets = all_faults_up_to != 0});
    if (all_faults_up_to == 0 && sets != VerifyVerb().sets)
      refuse_unused(given, "samples", std::to_string(sets), "must be used with all-faults-up-to");
  }

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
    const Switching model = switching_named(switching);
    const RoutingKind& kind = context.routing.kind();
    const Knowledge known = knowledge_asked(kind, context.options);
    const SourceRole role = source_asked(kind, context.options);
    const FabricLabelling* const fabric = tables_out ? &context.topology->labelling<FabricLabelling>(
                                                           *tables_out, context.options.path_of("tables-out"))
                                                     : nullptr;
    const ChosenFaults chosen =
        choose(context.topology, context.routing, model, seed, context.options, context.stop);
    const Damage damage{chosen.set, known, role};
    const auto as_written = [&](RelationPtr relation) {
      return fabric != nullptr ? addressed_relation(std::move(relation), *fabric) : relation;
    };
    const RelationPtr relation = as_written(
        build_relation(context.topology, damage, context.routing, model, SourceOffers::every_start));
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
    add_lid(*offered.relation, verdict, json);
    json["routing"] = to_compact(context.routing);
    json["virtual_channels"] = relation->virtual_channels();
    json["switching"] = switching;
    json["selection"] = selection ? Json(to_compact(selection->resolved)) : Json();
    json["knowledge"] = to_string(known);
    json["source"] = to_string(role);
    if (list_livelocks) json["livelocks"] = named(verdict.livelocks, *context.topology);
    add_certificate(as_written(offered.relation), offered.damage, verdict, context, answer);
    report_relation(*offered.relation, kind, relation_out, context.options.path_of("relation-out"), answer);
    if (!chosen.names.empty() || all_faults_up_to > 0) remark_on_sending_again(*relation, answer);
    if (const auto remark = remark_on(chosen)) answer.json["remarks"].push_back(*remark);
    if (tables_out)
      add_tables(*offered.relation, chosen.set, context, answer);
    else
      add_switch_packets(*offered.relation, chosen.set, json);
    if (!chosen.names.empty()) json["failed"] = chosen.names;
    if (const PlanFigures* const plans = relation->plan_figures()) json["plans"] = faultline::to_json(*plans);
    const bool faults_hold = all_faults_up_to == 0 ||
                             add_fault_sets(context,
                                            {context.routing, model, known, role, all_faults_up_to, sets,
                                             seed, context.stop, commits(), takes_first(), list_livelocks},
                                            json);
    // Tables hold no service levels: what needs several virtual lanes does not hold as they are written.
    const bool tables_hold = !tables_out || relation->virtual_channels() == 1;
    json["holds"] = verdict.positive() && faults_hold && tables_hold;
    return answer;
  }

  static std::string text(const Case& one, const Json& result) { return verify_text(one, result); }

 private:
  void add_certificate(const RelationPtr& relation, const Damage& damage, const Verdict& verdict,
                       const CaseContext& context, Answer& answer) const {
    answer.json["certificate"] = nullptr;
    if (!certificate || verdict.method == DeadlockMethod::unproved) return;
    answer.files.push_back({context.options.path_of("certificate"), *certificate,
                            certificate_text(relation, damage, verdict,
                                             {.switching = switching_named(switching),
                                              .selection_commits = commits(),
                                              .takes_first = takes_first(),
                                              .routing = to_compact(context.routing),
                                              .threads = context.threads})});
    answer.json["certificate"] = *certificate;
  }

  void add_tables(const RoutingRelation& relation, const FaultSet& dead, const CaseContext& context,
                  Answer& answer) const {
    const TableExport made = export_tables(relation, dead, context.routing.kind().info.name);
    const auto& labelling = context.topology->labelling<FabricLabelling>("verify");
    answer.files.push_back({context.options.path_of("tables-out"), *tables_out,
                            infiniband::to_lft_dump(made.tables, labelling.fabric)});
    answer.json["tables"] = *tables_out;
    answer.json["total_entries"] = made.entries;
    const auto count_or_null = [](const std::optional<std::uint64_t>& count) {
      return count ? Json(*count) : Json();
    };
    answer.json["changed_entries"] = count_or_null(made.changed);
    answer.json["switch_entries"] = made.switch_entries;
    answer.json["changed_switch_entries"] = count_or_null(made.changed_for_switches);
    answer.json["left_out_entries"] = made.left_out_entries;
    const ForwardingPaths new_paths(*context.topology, made.tables);
    answer.json["max_link_load"] = new_paths.use(dead).max_link_load;
    add_use_before(*context.topology, labelling.tables, dead, answer.json);
    answer.json["acyclic_with_switches"] = made.acyclic_with_switches;
    answer.json["without_lid"] = Json::array();
    for (const TerminalId terminal : made.without_lid)
      answer.json["without_lid"].push_back(context.topology->name(terminal));
  }

  /// Tags of packets that follow tables count the LIDs of their destination.
  static void add_lid(const RoutingRelation& relation, const Verdict& verdict, Json& json) {
    if (dynamic_cast<const FollowsTables*>(&relation) == nullptr || !json["dead_end"].contains("tag")) return;
    const auto& fabric = relation.topology().labelling<FabricLabelling>("tables");
    json["dead_end"]["lid"] = fabric.lid(verdict.dead_end->destination) + verdict.dead_end->tag;
  }

  /// Of the tables that are followed, if there are any and they have entries for switches.
  static void add_switch_packets(const RoutingRelation& relation, const FaultSet& dead, Json& json) {
    const auto* const follows = dynamic_cast<const FollowsTables*>(&relation);
    if (follows == nullptr) return;
    const SwitchPackets packets = switch_packets(relation.topology(), dead, follows->tables());
    if (packets.entries == 0) return;
    json["switch_entries"] = packets.entries;
    json["acyclic_with_switches"] = packets.are_acyclic;
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

  /// True when every set verified is connected and free of deadlock and livelock. `exhaustive`: these are all
  /// sets of up to so many faults.
  bool add_fault_sets(const CaseContext& context, const FaultVerificationSpec& spec, Json& json) const {
    const FaultComponents among = components(context.topology, context.options);
    const VerifiedFaultSets verified = verify_fault_sets(context.topology, among, spec, context.progress);
    bool holds = true, exhaustive = !verified.interrupted;
    json["by_faults"] = Json::array();
    for (const VerifiedFaults& point : verified.points) {
      json["by_faults"].push_back(to_json(point));
      if (list_livelocks) json["by_faults"].back()["livelocks"] = livelocks_of(point, *context.topology);
      holds = holds && point.positive();
      exhaustive = exhaustive && point.exhaustive;
    }
    json["exhaustive"] = exhaustive;
    json["interrupted"] = verified.interrupted;
    return holds;
  }
};

}  // namespace

extern constinit const VerbKind verify = verb_kind<VerifyVerb>(
    "verify",
    "check that a routing is connected and free of deadlock and livelock, with a proof or a counterexample");

}  // namespace faultline::verbs
