// SPDX-License-Identifier: Apache-2.0
// Answers as a person reads them: every number with its unit.
#include <fmt/format.h>

#include <algorithm>

#include "command_line.h"

namespace faultline::app {
namespace {

std::string percent(const Json& fraction) { return fmt::format("{:.6g} %", 100 * fraction.get<double>()); }

std::string interval(const Json& bounds, double factor) {
  return fmt::format("{:.4g} … {:.4g}", factor * bounds[0].get<double>(), factor * bounds[1].get<double>());
}

std::string count_text(const Json& count) {
  return count.is_null() ? "not computed" : fmt::format("{}", count.get<std::uint64_t>());
}

}  // namespace

std::string topology_text(const Case& one, const Json& result) {
  std::string text = fmt::format("{}\n", to_compact(one.topology));
  const auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", label, value);
  };
  line("terminals", count_text(result["terminals"]));
  line("switches", fmt::format("{}, with {} to {} ports", result["switches"].get<std::uint64_t>(),
                               result["switch_radix"]["min"].get<std::uint64_t>(),
                               result["switch_radix"]["max"].get<std::uint64_t>()));
  line("channels",
       fmt::format("{} one-way: {} network, {} injection, {} ejection",
                   result["channels"].get<std::uint64_t>(), result["network_channels"].get<std::uint64_t>(),
                   result["injection_channels"].get<std::uint64_t>(),
                   result["ejection_channels"].get<std::uint64_t>()));
  line("links", count_text(result["links"]) + ", terminal links included");
  line("switching elements", count_text(result["switching_elements"]));
  line("diameter", count_text(result["diameter"]) + " links from terminal to terminal");
  line("average distance", fmt::format("{:.4f} links", result["average_distance"].get<double>()));
  line("bisection", count_text(result["bisection"]) + " channels each way");
  return text;
}

std::string resilience_text(const Case& one, const Json& result) {
  const auto unit = result["unit"].get<std::string>();
  std::string text =
      fmt::format("{}: {} {} that may fail (scope {})\n", to_compact(one.topology),
                  result["components"].get<std::uint64_t>(), unit == "switch" ? "switches" : unit + "s",
                  result["scope"].get<std::string>());
  text += fmt::format("  tolerated faults       {}{}: any so many leave every pair of terminals connected\n",
                      result["tolerated_exact"].get<bool>() ? "" : "at least ",
                      result["tolerated_faults"].get<std::uint64_t>());
  if (!result["witness"].empty()) {
    text += fmt::format("  one more can cut       {}\n", result["witness_pair"].get<std::string>());
    for (const Json& name : result["witness"])
      text += fmt::format("                         {}\n", name.get<std::string>());
  }
  constexpr std::size_t most_lines = 8;
  const Json& critical = result["critical"];
  if (!critical.empty()) text += "  pairs lost alone   in minimum cuts   component to watch\n";
  for (std::size_t i = 0; i < std::min(critical.size(), most_lines); ++i)
    text += fmt::format("  {:>16}   {:>15}   {}\n", critical[i]["pairs_lost"].get<std::uint64_t>(),
                        percent(critical[i]["cut_share"]), critical[i]["name"].get<std::string>());
  if (critical.size() > most_lines)
    text += fmt::format("  … and {} more: see --json\n", critical.size() - most_lines);
  if (!result["by_faults"].empty())
    text +=
        "  faults        sets   intolerable sets (95 % interval)           connected pairs (95 % interval)\n";
  for (const Json& point : result["by_faults"]) {
    const bool exact = point["exhaustive"].get<bool>();
    const auto share = [&](const char* fraction, const char* bounds) {
      return fmt::format("{} ({})", percent(point[fraction]),
                         exact ? "exact" : interval(point[bounds], 100) + " %");
    };
    text +=
        fmt::format("  {:>6} {:>11}   {:<40}   {}\n", point["faults"].get<std::uint64_t>(),
                    point["sets"].get<std::uint64_t>(), share("intolerable_fraction", "intolerable_interval"),
                    share("connected_pairs_fraction", "connected_pairs_interval"));
  }
  return text;
}

std::string simulate_text(const std::vector<Case>& cases, const std::vector<Json>& results) {
  std::string text = fmt::format("{}\n", to_compact(cases.front().topology));
  text +=
      "  offered  accepted   mean latency (95 % interval)      p50      p99   hops   delivered   in flight   "
      "dropped\n"
      "  flits/cycle/terminal   cycles                      cycles   cycles             packets     packets  "
      " packets\n";
  for (const Json& result : results) {
    const Json& latency = result["latency"];
    const std::string_view note = result["deadlock"].get<bool>()    ? "  DEADLOCK"
                                  : result["saturated"].get<bool>() ? "  saturated"
                                                                    : "";
    const std::string mean =
        fmt::format("{:.1f} ({:.1f} … {:.1f})", latency["mean"].get<double>(),
                    latency["interval"][0].get<double>(), latency["interval"][1].get<double>());
    text += fmt::format(
        "  {:>7.4f}  {:>8.4f}   {:<28}  {:>5.0f}  {:>7.0f}   {:>4.2f}   {:>9}   {:>9}   {:>7}{}\n",
        result["offered"].get<double>(), result["accepted"].get<double>(), mean, latency["p50"].get<double>(),
        latency["p99"].get<double>(), result["hops_mean"].get<double>(),
        result["delivered"].get<std::uint64_t>(), result["in_flight"].get<std::uint64_t>(),
        result["dropped"].get<std::uint64_t>(), note);
    if (result.contains("deadlock_cycle") && result["deadlock"].get<bool>())
      for (const Json& channel : result["deadlock_cycle"])
        text += fmt::format("      waits: {}\n", channel.get<std::string>());
  }
  return text;
}

}  // namespace faultline::app
