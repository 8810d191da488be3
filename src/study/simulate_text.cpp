// SPDX-License-Identifier: Apache-2.0
#include "study/simulate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "faultline/base/counted.h"
#include "study/answer_text.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

/// In flits/cycle/terminal, of the last run of the search with this load.
double accepted_at(const Json& search, double load) {
  double accepted = 0;
  for (const Json& run : search["runs"])
    if (run["load"] == load) accepted = run["accepted"].get<double>();
  return accepted;
}

/// What is accepted at the saturated load, which a long queue may lower the longer it grows.
std::string saturation_throughput_text(const Json& search, std::uint64_t cycles) {
  const auto throughput = search["throughput"].get<double>();
  if (throughput >= 0.95 * accepted_at(search, search["sustained_load"].get<double>()))
    return fmt::format("at a throughput of {:.4f}", throughput);
  return fmt::format("above which the throughput falls (to {:.4f} in a run of {} cycles)", throughput,
                     cycles);
}

std::string saturation_text(const Json& result) {
  const Json& found = result["saturation"];
  const std::string remark = found.contains("remark") ? "  " + found["remark"].get<std::string>() : "";
  const bool more_cycles_help = result["generated"] == 0 || result["dropped"] != result["generated"];
  if (result["delivered"] == 0) return remark + (more_cycles_help ? "; give more --cycles\n" : "\n");
  std::uint64_t longest = 0;
  for (const Json& run : found["runs"]) longest = std::max(longest, run["cycles"].get<std::uint64_t>());
  std::string text =
      found["load"].is_null()
          ? fmt::format("  not saturated at {:.4f} flits/cycle/terminal, the most that terminals can send\n",
                        found["sustained_load"].get<double>())
          : fmt::format("  saturates between loads {:.4f} and {:.4f}, {}; {} runs of up to {} cycles\n",
                        found["sustained_load"].get<double>(), found["load"].get<double>(),
                        saturation_throughput_text(found, result["cycles"].get<std::uint64_t>()),
                        found["runs"].size(), longest);
  return remark.empty() ? text : text + remark + ";\n  give more --cycles\n";
}

std::string starvation_text(const Json& result) {
  const Json& starvation = result["starvation"];
  const auto sources = starvation["starved_sources"].get<std::size_t>();
  if (sources == 0) return {};
  return fmt::format("      starved: {} of the sources sent nothing while measuring, such as {}\n", sources,
                     name_text(starvation["starved"].at(0)));
}

std::string dropped_text(const Json& by_reason) {
  constexpr std::array<std::pair<const char*, const char*>, 4> reasons{
      {{"unreachable", "at terminals that have no path for them"},
       {"stuck", "at switches where none of their options leads on"},
       {"link_failed", "on channels that went down"},
       {"dead_channel", "on dead channels that switches do not know of"}}};
  std::string text;
  for (const auto& [reason, where] : reasons)
    if (by_reason.contains(reason))
      text += fmt::format("{}{} {}", text.empty() ? "      dropped: " : "; ",
                          by_reason[reason].get<std::uint64_t>(), where);
  return text.empty() ? text : text + "\n";
}

std::string cut_off_text(const Json& terminals) {
  std::string text = "      cut off from most others at the end:";
  for (const Json& name : terminals) text += " " + name_text(name);
  return text + "\n";
}

std::string ideal_text(const Json& result) {
  if (result["even_split_throughput"].is_null()) return {};
  if (result["ideal_throughput"].is_null())
    return fmt::format(
        "  if every source gets its share, channel bandwidth allows at most {:.4f} flits/cycle/terminal if "
        "every\n  choice is split evenly, and some packets are dropped on the way\n",
        result["even_split_throughput"].get<double>());
  const double bound = result["ideal_throughput"].get<double>(),
               reached = result["ideal_throughput_reached"].get<double>();
  return fmt::format(
      "  if every source gets its share, channel bandwidth allows at most {:.4f} flits/cycle/terminal for "
      "the best\n  division of packets over paths{}, and {:.4f} if every choice is split evenly\n",
      bound, bound - reached > 0.01 * bound ? fmt::format(" ({:.4f} by one that was found)", reached) : "",
      result["even_split_throughput"].get<double>());
}

std::string sending_text(const Json& result) {
  const double sending = result.value("sending_fraction", 1.0);
  if (sending == 1) return {};
  return fmt::format(
      "  in this pattern only {:.3g} % of the terminals send: loads are per terminal that sends, all other "
      "figures\n  per terminal\n",
      100 * sending);
}

std::string channel_load_text(const Json& load) {
  const Json& ideal = load["even_split_max"];
  std::string text = fmt::format(
      "      channels: mean {:.3f}, max {:.3f} flits/cycle{}\n", load["mean"].get<double>(),
      load["max"].get<double>(),
      ideal.is_null() ? ""
                      : fmt::format("; the busiest is offered {:.3f} if every choice is split evenly",
                                    ideal.get<double>()));
  for (const Json& busy : load["busiest"])
    text += fmt::format("        {:.3f}  {}\n", busy["load"].get<double>(), name_text(busy["channel"]));
  return text;
}

/// The open paths of a pair at the end, in the order in which the routing offered them.
std::string watched_text(const Json& pair) {
  std::string text = fmt::format("      watched: {} -> {}, open paths with the latency last reported\n",
                                 name_text(pair["source"]), name_text(pair["destination"]));
  for (const Json& path : pair["paths"])
    text += fmt::format(
        "        {} cycles: {}\n", path["latency"].get<std::uint64_t>(),
        path["channels"].empty() ? "within the switch" : printable(joined(path["channels"]), 1000));
  return text;
}

/// What sources learned, and its cost.
std::string control_text(const Json& control) {
  std::string text = fmt::format(
      "      sources: {} acknowledgements and {} notifications, {:.2f} % of all flits forwarded by switches; "
      "{:.2f} open paths per pair; {} dead channels in tables, {} of them permanent; {} packets met a "
      "dead channel, {} sent although all paths were refused\n",
      control["acknowledgements"].get<std::uint64_t>(), control["notifications"].get<std::uint64_t>(),
      100 * control["share_of_flit_hops"].get<double>(), control["paths_open"]["mean"].get<double>(),
      control["table"]["entries"].get<std::uint64_t>(), control["table"]["permanent"].get<std::uint64_t>(),
      control["met_dead_channel"].get<std::uint64_t>(), control["forced_packets"].get<std::uint64_t>());
  if (control.contains("watched")) text += watched_text(control["watched"]);
  return text;
}

/// The effect of each dynamic failure on the throughput.
std::string recovery_text(const Json& recoveries) {
  constexpr std::size_t max_lines = 12;
  std::string text;
  std::size_t lines = 0;
  for (const Json& one : recoveries) {
    if (lines++ == max_lines)
      return text + fmt::format("  later failures ({}) are in the JSON\n", recoveries.size() - max_lines);
    const auto down = one["channels_down"].get<std::uint64_t>();
    text += fmt::format("  cycle {}: {} {} down; ", one["at"].get<std::uint64_t>(), counted(down, "channel"),
                        agreeing(down, "is", "are"));
    const double lowest = one["lowest"].get<double>(), after = one["after"].get<double>();
    if (one["before"].is_null()) {
      text += fmt::format(
          "throughput {:.4f} at the end (flits/cycle/terminal); too little was measured before the failure "
          "for a comparison\n",
          after);
      continue;
    }
    text += fmt::format(
        "throughput {:.4f} before, {:.4f} at the lowest, {:.4f} at the end (flits/cycle/terminal); ",
        one["before"].get<double>(), lowest, after);
    if (one["back_after"].is_null())
      text += "it does not recover\n";
    else if (const auto cycles = one["back_after"].get<std::uint64_t>(); cycles == 0)
      text += "no drop that chance could not explain\n";
    else
      text += fmt::format("recovered within {} cycles\n", cycles);
  }
  return text;
}

/// "-" where no packet was delivered while measuring.
std::string figure(const Json& value, int decimals) {
  return value.is_null() ? "-" : fmt::format("{:.{}f}", value.get<double>(), decimals);
}

/// The mean latency of a saturated network grows with the run, and has no interval.
std::string mean_text(const Json& result) {
  const Json& mean = result["latency"]["mean"];
  if (mean.is_null()) return "-";
  if (result["saturated"].get<bool>()) return figure(mean, 1) + " (grows with the run)";
  const Json& interval = result["latency"]["interval"];
  return fmt::format("{} ({} … {})", figure(mean, 1), figure(interval[0], 1), figure(interval[1], 1));
}

/// One load.
std::string result_line(const Json& result) {
  const Json& latency = result["latency"];
  const std::string_view note = result["deadlock"].get<bool>()    ? "  DEADLOCK"
                                : result["saturated"].get<bool>() ? "  saturated"
                                : result["too_short"].get<bool>() ? "  too short"
                                                                  : "";
  return fmt::format("  {:>7.4f}  {:>8.4f}   {:<28}  {:>5}  {:>7}   {:>4}   {:>9}   {:>9}   {:>7}{}\n",
                     result["offered"].get<double>(), result["accepted"].get<double>(), mean_text(result),
                     figure(latency["p50"], 0), figure(latency["p99"], 0), figure(result["hops_mean"], 2),
                     result["delivered"].get<std::uint64_t>(), result["in_flight"].get<std::uint64_t>(),
                     result["dropped"].get<std::uint64_t>(), note);
}

/// The options in which cases differ, other than the load.
std::vector<std::string> differing_options(std::span<const Case> cases) {
  std::vector<std::string> names;
  for (const auto& field : cases.front().options.description().fields)
    if (field.first != "load" && std::ranges::any_of(cases, [&](const Case& one) {
          const Value* const other = one.options.description().find(field.first);
          return other == nullptr || to_string(*other) != to_string(field.second);
        }))
      names.push_back(field.first);
  return names;
}

std::string heading(const Case& one, const Json& result, const std::vector<std::string>& options) {
  std::string text = printable(to_compact(one.topology), 1000);
  if (result.contains("routing")) text += ", routing " + name_text(result["routing"]);
  for (const std::string& name : options)
    if (const Value* const value = one.options.description().find(name); value != nullptr)
      text += fmt::format(", {} {}", name, printable(to_string(*value), 1000));
  return text;
}

std::string text_of(const Json& result) {
  std::string text = result_line(result);
  if (result.contains("deadlock_cycle") && result["deadlock"].get<bool>())
    for (const Json& channel : result["deadlock_cycle"])
      text += fmt::format("      waits: {}\n", name_text(channel));
  if (result.contains("saturation")) text += saturation_text(result);
  text += dropped_text(result["dropped_by_reason"]) + starvation_text(result);
  if (result.contains("cut_off")) text += cut_off_text(result["cut_off"]);
  if (result.contains("notes"))
    for (const Json& line : result["notes"])
      text += fmt::format("      {}\n", printable(line.get<std::string>(), std::string::npos));
  if (result.contains("control")) text += control_text(result["control"]);
  if (result.contains("recovery")) text += recovery_text(result["recovery"]);
  if (result.contains("channel_load")) text += channel_load_text(result["channel_load"]);
  return text;
}

/// Of cases that differ in nothing but the load.
std::string table(const std::string& heading, const std::vector<const Json*>& results) {
  std::string text =
      heading +
      "\n"
      "  offered  accepted   mean latency (95 % interval)      p50      p99   hops   delivered   in flight   "
      "dropped\n"
      "  flits/cycle/terminal   cycles                      cycles   cycles             packets     packets  "
      " packets\n";
  for (const Json* const result : results) text += text_of(*result);
  const Json& last = *results.back();
  text += ideal_text(last) + sending_text(last);
  if (last.contains("unproved"))
    text += fmt::format("  warning: not proved free of deadlock: {}\n", last["unproved"].get<std::string>());
  else if (std::ranges::any_of(results, [](const Json* one) { return one->value("deadlock", false); }))
    text +=
        "  warning: deadlock, although the routing claims to be free of it, or was verified: run faultline "
        "verify, which does not rely on claims\n";
  return text;
}

}  // namespace

std::optional<std::string> saturation_remark(const Json& result) {
  const Json& found = result["saturation"];
  if (result["delivered"] == 0)
    return result["generated"] != 0 && result["dropped"] == result["generated"]
               ? "nothing is delivered at any load: no pair that sends is connected"
               : "nothing was delivered in runs this short";
  // Loads are of the terminals that send, the bound is an average over all, of packets that have a path; the
  // search is as precise as 1 %.
  const Json& bound = result["ideal_throughput"];
  const double kept = 1 - result["dropped"].get<double>() / std::max(1.0, result["generated"].get<double>());
  const double sustained =
      found["sustained_load"].get<double>() * result.value("sending_fraction", 1.0) * kept;
  if (!bound.is_null() && sustained > 1.01 * bound.get<double>())
    return "that is above what channel bandwidth allows: the queues still grow, too slowly for these runs";
  if (found["settled"] == false && !found["load"].is_null())
    return "these loads still changed by more than 3 % when runs became four times as long";
  if (accepted_at(found, found["sustained_load"].get<double>()) < 0.95 * sustained)
    return "at the lower load less was accepted than offered, in runs too short to tell whether queues grow";
  return std::nullopt;
}

std::string simulate_text(std::span<const Case> cases, std::span<const Json> results) {
  const std::vector<std::string> options = differing_options(cases);
  std::vector<std::pair<std::string, std::vector<const Json*>>> tables;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string above = heading(cases[i], results[i], options);
    auto same = std::ranges::find(tables, above, [](const auto& one) { return one.first; });
    if (same == tables.end()) same = tables.insert(tables.end(), {above, {}});
    same->second.push_back(&results[i]);
  }
  std::string text;
  for (const auto& [above, rows] : tables) text += table(above, rows);
  return text;
}

}  // namespace faultline
