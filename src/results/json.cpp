// SPDX-License-Identifier: Apache-2.0
#include "faultline/results/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// Null stands for an infinite end, as JSON has none.
Json to_json(const Interval& interval) { return Json::array({interval.low, or_null(interval.high)}); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const WorstFaults& worst) {
  return {{"components", worst.components},
          {"pairs_lost", worst.pairs_lost},
          {"bound", worst.bound},
          {"exact", worst.exact}};
}

Json to_json(const FaultPoint& point) {
  Json json{{"faults", point.faults},
            {"sets", point.sets},
            {"exhaustive", point.exhaustive},
            {"intolerable_fraction", point.intolerable_fraction},
            {"intolerable_interval", to_json(point.intolerable_interval)},
            {"intolerable_sets", or_null(point.intolerable_sets)},
            {"sets_total", or_null(point.sets_total)},
            {"connected_pairs_fraction", point.connected_pairs_fraction},
            {"connected_pairs_interval", to_json(point.connected_pairs_interval)},
            {"connected_live_pairs_fraction", point.connected_live_pairs_fraction}};
  if (point.not_counted) json["not_counted"] = *point.not_counted;
  if (point.likely_pairs) {
    json["likely_pairs_fraction"] = point.likely_pairs->fraction;
    json["likely_pairs_interval"] = to_json(point.likely_pairs->interval);
    json["likely_pairs_sets"] = point.likely_pairs->sets;
  }
  if (point.unserved) {
    json["disconnected_sets"] = point.unserved->disconnected;
    json["unserved_sets"] = point.unserved->sets;
    json["unserved_fraction"] = or_null(point.unserved->fraction);
    json["unserved_interval"] = to_json(point.unserved->interval);
  }
  if (point.lost_terminals) {
    json["worst_lost_terminals"] = point.lost_terminals->worst;
    json["mean_lost_terminals"] = point.lost_terminals->mean;
    json["lost_terminals_exact"] = point.lost_terminals->exact;
    if (!point.lost_terminals->by_lost.empty()) {
      json["sets_by_lost_terminals"] = point.lost_terminals->by_lost;
      json["worst_set"] = point.lost_terminals->worst_set;
      json["worst_set_terminals"] = point.lost_terminals->worst_set_terminals;
    }
  }
  if (point.worst_faults) json["worst_faults"] = to_json(*point.worst_faults);
  return json;
}

void put(Json& json, const std::string& name, const Estimate& estimate) {
  json[name] = estimate.value;
  json[name + "_interval"] = to_json(estimate.interval);
}

Json to_json(const Reliability& reliability) {
  Json json;
  json["classes"] = Json::array();
  for (const Reliability::Class& one : reliability.classes)
    json["classes"].push_back({{"unit", to_string(one.rate.unit)},
                               {"components", one.components},
                               {"failures_per_hour", one.rate.failure_rate},
                               {"repair_hours", or_null(one.rate.repair_time)},
                               {"unavailability", or_null(one.unavailability)}});
  json["sets"] = reliability.sets;
  json["method"] = reliability.sets == 0 ? Json(nullptr) : Json(to_string(reliability.method));
  if (reliability.first_loss) put(json, "mean_hours_to_intolerable", *reliability.first_loss);
  if (!reliability.steady) return json;
  const SteadyState& steady = *reliability.steady;
  put(json, "availability", steady.availability);
  put(json, "unavailability", steady.unavailability);
  put(json, "connected_pairs", steady.connected_pairs);
  put(json, "disconnected_pairs", steady.disconnected_pairs);
  if (steady.hours_to_intolerable) put(json, "mean_up_hours", *steady.hours_to_intolerable);
  json["importance"] = Json::array();
  for (const ComponentImportance& component : steady.most_important) {
    Json one{{"name", component.name}};
    put(one, "birnbaum", component.birnbaum);
    json["importance"].push_back(one);
  }
  return json;
}

Json to_json(const CriticalComponent& component) {
  Json json{{"name", component.name}, {"pairs_lost", component.pairs_lost}, {"cut_share", nullptr}};
  if (component.cut_share) json["cut_share"] = *component.cut_share;
  return json;
}

}  // namespace

Json to_json(const PlanFigures& figures) {
  return {{"pairs", figures.pairs},
          {"direct", figures.direct},
          {"intermediate", figures.intermediate},
          {"deterministic", figures.deterministic},
          {"misrouted", figures.misrouted},
          {"unserved", figures.unserved},
          {"extra_hops_mean", figures.extra_hops_mean},
          {"extra_hops_max", figures.extra_hops_max},
          {"header_bits", figures.header_bits},
          {"source_bits_mean", figures.source_bits_mean},
          {"source_bits_max", figures.source_bits_max},
          {"source_table_bits", figures.source_table_bits}};
}

Json to_json(const TopologyFigures& figures, const Topology& topology) {
  return {{"terminals", figures.terminals},
          {"switches", figures.switches},
          {"channels", figures.channels},
          {"links", figures.links},
          {"network_channels", figures.network_channels},
          {"injection_channels", figures.injection_channels},
          {"ejection_channels", figures.ejection_channels},
          {"switch_radix", {{"min", figures.min_switch_radix}, {"max", figures.max_switch_radix}}},
          {"switching_elements", figures.switching_elements},
          {"diameter", figures.has_distances ? Json(figures.diameter) : Json(nullptr)},
          {"average_distance", figures.has_distances ? Json(figures.average_distance) : Json(nullptr)},
          {"unconnected_pairs", figures.unconnected_pairs},
          {"unconnected", figures.unconnected_pairs != 0 ? Json{topology.name(figures.unconnected.first),
                                                                topology.name(figures.unconnected.second)}
                                                         : Json::array()},
          {"distance_steps", figures.distance_steps},
          {"bisection", or_null(figures.bisection)},
          {"bisection_exact", figures.bisection_exact}};
}

namespace {

Json names_of(std::span<const TerminalId> terminals, const Topology& topology) {
  Json names = Json::array();
  for (const TerminalId terminal : terminals) names.push_back(topology.name(terminal));
  return names;
}

/// Names of the first few.
Json to_json(const Starvation& starvation, const Topology& topology) {
  constexpr std::size_t max_names = 8;
  const auto first = std::span(starvation.sources).first(std::min(starvation.sources.size(), max_names));
  return {{"longest_source_wait", starvation.longest_source_wait},
          {"starved_sources", starvation.sources.size()},
          {"starved", names_of(first, topology)}};
}

Json to_json(const WatchedPair& pair, const Topology& topology) {
  Json paths = Json::array();
  for (const OpenPath& path : pair.paths) {
    Json channels = Json::array();
    for (const ChannelId channel : path.channels) channels.push_back(topology.name(channel));
    paths.push_back({{"latency", path.latency}, {"channels", std::move(channels)}});
  }
  return {{"source", topology.name(pair.source)},
          {"destination", topology.name(pair.destination)},
          {"paths", std::move(paths)}};
}

/// `flit_hops` are those of data.
Json to_json(const ControlFigures& control, std::uint64_t flit_hops, const Topology& topology) {
  const AgentFigures& sources = control.sources;
  const auto all = static_cast<double>(control.flit_hops + flit_hops);
  const auto pairs = static_cast<double>(sources.pairs);
  Json json{{"acknowledgements", control.acknowledgements},
            {"notifications", control.notifications},
            {"arrived", control.arrived},
            {"lost", control.lost},
            {"packet_hops", control.packet_hops},
            {"flit_hops", control.flit_hops},
            {"share_of_flit_hops", all > 0 ? static_cast<double>(control.flit_hops) / all : 0},
            {"latency_mean", control.arrived > 0 ? Json(control.latency_mean) : Json()},
            {"most_in_a_lane", control.most_in_a_lane},
            {"met_dead_channel", control.met_dead_channel},
            {"paths_open",
             {{"mean", pairs > 0 ? static_cast<double>(sources.paths_open) / pairs : 0},
              {"max", sources.max_paths_open}}},
            {"table",
             {{"entries", sources.fault_entries},
              {"permanent", sources.permanent_entries},
              {"most_of_a_source", sources.max_fault_entries},
              {"reclaimed", sources.reclaimed_entries}}},
            {"refused_paths", sources.refused_paths},
            {"forced_packets", sources.forced_packets}};
  if (sources.watched) json["watched"] = to_json(*sources.watched, topology);
  return json;
}

}  // namespace

Json to_json(const SimulationResult& result, const Topology& topology) {
  Json json{{"offered", result.offered},
            {"accepted", result.accepted},
            {"accepted_interval", to_json(result.accepted_interval)},
            {"saturated", result.saturated},
            {"too_short", result.too_short},
            {"deadlock", result.deadlock}};
  if (!result.note_on_length.empty()) json["notes"].push_back(result.note_on_length);
  for (const std::string& note : result.notes) json["notes"].push_back(note);
  if (result.deadlock) json["deadlock_cycle"] = result.deadlock_cycle;
  if (!result.deadlock_packets.empty()) json["deadlock_packets"] = result.deadlock_packets;
  std::uint64_t dropped = 0;
  for (const auto& [reason, packets] : result.dropped) dropped += packets;
  json["generated"] = result.generated;
  json["delivered"] = result.delivered;
  json["in_flight"] = result.in_flight;
  json["dropped"] = dropped;
  json["dropped_by_reason"] = result.dropped;
  if (result.sent_again != 0) json["sent_again"] = result.sent_again;
  if (!result.cut_off.empty()) json["cut_off"] = names_of(result.cut_off, topology);
  const LatencySummary& latency = result.latency;
  const auto of_packets = [&](const Json& figure) { return latency.packets != 0 ? figure : Json(nullptr); };
  json["latency"] = {{"mean", of_packets(latency.mean)},
                     {"interval", of_packets(to_json(latency.interval))},
                     {"p50", of_packets(latency.p50)},
                     {"p99", of_packets(latency.p99)},
                     {"network_mean", of_packets(latency.network_mean)}};
  for (const auto& [from, until, accepted] : result.throughput)
    json["throughput"].push_back({{"from", from}, {"until", until}, {"accepted", accepted}});
  json["starvation"] = to_json(result.starvation, topology);
  json["hops_mean"] = of_packets(result.hops_mean);
  json["cycles"] = result.cycles;
  json["warmup_cycles"] = result.warmup_cycles;
  json["packet_hops"] = result.packet_hops;
  json["flit_hops"] = result.flit_hops;
  if (result.control) json["control"] = to_json(*result.control, result.flit_hops, topology);
  json["seconds"] = result.seconds;
  json["engine"] = result.engine;
  return json;
}

Json to_json(const std::vector<Recovery>& recoveries) {
  Json all = Json::array();
  for (const Recovery& one : recoveries)
    all.push_back({{"at", one.at},
                   {"channels_down", one.channels_down},
                   {"before", or_null(one.before)},
                   {"lowest", one.lowest},
                   {"after", one.after},
                   {"back_after", or_null(one.back_after)}});
  return all;
}

Json to_json(const std::optional<IdealThroughput>& ideal) {
  const bool is_bound = ideal && !ideal->loses_some;
  return {{"ideal_throughput", is_bound ? Json(ideal->bound) : Json(nullptr)},
          {"ideal_throughput_reached", is_bound ? Json(ideal->reached) : Json(nullptr)},
          {"ideal_method", ideal ? Json(ideal->method) : Json(nullptr)},
          {"even_split_throughput", ideal ? Json(ideal->even_split) : Json(nullptr)}};
}

namespace {

/// Null where no packet was delivered while measuring.
Json mean_latency(const SimulationResult& run) {
  return run.latency.packets != 0 ? Json(run.latency.mean) : Json(nullptr);
}

}  // namespace

Json to_json(const SaturationSearch& search) {
  const SimulationResult& decisive = search.runs[search.decisive_run].result;
  Json runs = Json::array();
  for (const SaturationSearch::Run& run : search.runs)
    runs.push_back({{"load", run.load},
                    {"cycles", run.result.cycles},
                    {"accepted", run.result.accepted},
                    {"saturated", run.result.saturated},
                    {"latency_mean", mean_latency(run.result)}});
  return {
      {"load", or_null(search.saturated_load)}, {"sustained_load", search.sustained_load},
      {"throughput", decisive.accepted},        {"throughput_interval", to_json(decisive.accepted_interval)},
      {"settled", or_null(search.settled)},     {"runs", runs}};
}

Json to_json(const ChannelLoad& load) {
  Json busiest = Json::array();
  for (const ChannelLoad::Busy& busy : load.busiest)
    busiest.push_back({{"channel", busy.channel}, {"load", busy.load}});
  return {{"mean", load.mean},
          {"max", load.max},
          {"even_split_max", or_null(load.even_split_max)},
          {"busiest", busiest}};
}

Json to_json(const Replications& all) {
  Json runs = Json::array();
  for (const Replications::Run& run : all.runs)
    runs.push_back({{"seed", run.seed},
                    {"accepted", run.result.accepted},
                    {"saturated", run.result.saturated},
                    {"latency_mean", mean_latency(run.result)},
                    {"delivered", run.result.delivered}});
  return runs;
}

Json to_json(const ResilienceResult& result) {
  Json json{{"unit", to_string(result.unit)},
            {"scope", to_string(result.scope)},
            {"knowledge", to_string(result.knowledge)},
            {"source", to_string(result.source)},
            {"components", result.components},
            {"tolerated_faults", result.tolerance.faults},
            {"tolerated_exact", result.tolerance.exact},
            {"witness", result.tolerance.witness},
            {"witness_pair", result.tolerance.witness_pair},
            {"pairs_lost_without_faults", result.lost_without_faults}};
  if (result.tolerance.if_connected) json["tolerated_if_connected"] = true;
  if (result.minimum_cuts)
    json["minimum_cuts"] = {{"size", result.minimum_cuts->size},
                            {"count", or_null(result.minimum_cuts->count)},
                            {"listed", result.minimum_cuts->listed}};
  if (result.smallest_failing)
    json["smallest_failing"] = {{"size", result.smallest_failing->components.size()},
                                {"components", result.smallest_failing->components},
                                {"sets_tried", result.smallest_failing->tried},
                                {"sets_tried_around", result.smallest_failing->patterns_tried}};
  constexpr std::size_t max_critical = 1000;
  json["critical"] = Json::array();
  for (const CriticalComponent& component : std::views::take(result.critical, max_critical))
    json["critical"].push_back(to_json(component));
  json["critical_count"] = result.critical.size();
  json["by_faults"] = Json::array();
  for (const FaultPoint& point : result.fractions.points) json["by_faults"].push_back(to_json(point));
  if (result.reliability) json["reliability"] = to_json(*result.reliability);
  json["interrupted"] = result.interrupted;
  json["seconds"] = result.fractions.seconds;
  json["sets_per_second"] = result.fractions.sets_per_second;
  return json;
}

Json to_json(const TableUse& use) {
  return {{"entries", use.entries},
          {"dead_entries", use.dead_entries},
          {"crossed_entries", use.crossed_entries},
          {"routes", use.routes},
          {"lost_routes", use.lost_routes},
          {"newly_lost_routes", use.newly_lost_routes},
          {"max_link_load", use.max_link_load}};
}

namespace {

Json to_json(const DeadEnd& end, const Topology& topology) {
  Json json{{"source", topology.name(end.source)}, {"destination", topology.name(end.destination)}};
  json["walk"] = Json::array();
  for (const ChannelId channel : end.walk) json["walk"].push_back(topology.name(channel));
  json["on_dead_channel"] = end.on_dead_channel;
  if (end.walk.empty() || end.on_dead_channel) return json;
  json["switch"] = topology.name(topology.target(end.walk.back()));
  json["vc"] = end.vc;
  json["tag"] = end.tag;
  return json;
}

}  // namespace

Json to_json(const Verdict& verdict, const Topology& topology) {
  Json json{{"connected", verdict.connected()},
            {"unreachable_pairs", verdict.unreachable_pairs},
            {"cut_off_pairs", verdict.cut_off_pairs()}};
  for (std::size_t i = 0; i < pair_class_count; ++i)
    json["pairs"][std::string(to_string(PairClass{static_cast<std::uint8_t>(i)}))] = verdict.pairs.of[i];
  json["unreachable"] = Json::array();
  for (const auto& [source, destination] : verdict.unreachable)
    json["unreachable"].push_back({topology.name(source), topology.name(destination)});
  json["dead_end"] = verdict.dead_end ? to_json(*verdict.dead_end, topology) : Json(nullptr);
  json["deadlock_free"] = verdict.deadlock_free;
  json["method"] = to_string(verdict.method);
  json["livelock_free"] = verdict.livelock_free();
  json["max_hops"] = or_null(verdict.max_hops);
  json["endless_walk"] = Json::array();
  for (const ChannelId channel : verdict.endless_walk) json["endless_walk"].push_back(topology.name(channel));
  json["states"] = verdict.states;
  json["moves"] = verdict.moves;
  json["dependencies"] = verdict.dependencies;
  json["cycle"] = Json::array();
  for (const WaitingPacket& packet : verdict.deadlock)
    json["cycle"].push_back({{"channel", topology.name(packet.holds.channel)},
                             {"vc", packet.holds.vc},
                             {"source", topology.name(packet.source)},
                             {"destination", topology.name(packet.destination)},
                             {"waits_for", packet.waits_for}});
  return json;
}

}  // namespace faultline
