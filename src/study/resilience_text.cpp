// SPDX-License-Identifier: Apache-2.0
#include "study/resilience_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "faultline/base/counted.h"
#include "study/answer_text.h"
#include "study/assumption_text.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

/// "link" of one, "links", "links and switches".
std::string units_text(const Json& count, std::string units) {
  if (count == 1 && units.find('+') == std::string::npos) return units;
  std::string text;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = units.find('+');
    const std::string unit = units.substr(0, end);
    text += (text.empty() ? "" : " and ") + plural(unit);
    units.erase(0, end == std::string::npos ? end : end + 1);
  }
  return text;
}

/// One set that loses most terminals, and how many do.
std::string worst_set_text(const Json& point) {
  if (point["worst_lost_terminals"] == 0) return {};
  return fmt::format("  {} {} {} in {} of {}, the first of them\n    fails {}\n    loses {}\n",
                     counted_text(point["faults"], "fault"), agreeing_word(point["faults"], "loses", "lose"),
                     counted_text(point["worst_lost_terminals"], "terminal"),
                     count_text(point["sets_by_lost_terminals"].back()), counted_text(point["sets"], "set"),
                     joined(point["worst_set"]), joined(point["worst_set_terminals"]));
}

std::string lost_terminals_text(const Json& result) {
  std::string text;
  for (const Json& point : result["by_faults"]) {
    if (!point.contains("worst_lost_terminals")) continue;
    if (text.empty()) text = "  faults   terminals outside the largest connected set: worst seen, mean\n";
    const char* bound = point["lost_terminals_exact"].get<bool>() ? "" : "at most ";
    text += fmt::format("  {:>6}   {}{}, {}{:.6g}\n", point["faults"].get<std::uint64_t>(), bound,
                        point["worst_lost_terminals"].get<std::uint64_t>(), bound,
                        point["mean_lost_terminals"].get<double>());
  }
  for (const Json& point : result["by_faults"])
    if (point.contains("worst_set")) text += worst_set_text(point);
  return text;
}

std::string estimate_text(const Json& from, const std::string& key) {
  const Json& bounds = from[key + "_interval"];
  return fmt::format("{:.6g} ({})", from[key].get<double>(),
                     bounds[0] == bounds[1] ? "exact" : interval_text(bounds, 1));
}

/// Of results without repair.
std::string histories_text(const Json& reliability) {
  if (reliability.value("method", Json()) != "sampled") return {};
  return fmt::format("; {} drawn", counted_text(reliability["sets"], "history"));
}

std::string reliability_text(const Json& reliability) {
  constexpr const char* row = "  {:<22} {}\n";
  std::string text;
  for (const Json& one : reliability["classes"]) {
    const Json& repair = one["repair_hours"];
    text += fmt::format(
        row, "reliability",
        fmt::format("{} × {}: {:.4g} failures/hour each, {}", one["components"].get<std::uint64_t>(),
                    one["unit"].get<std::string>(), one["failures_per_hour"].get<double>(),
                    repair.is_null() ? "never repaired"
                                     : fmt::format("repaired in {:.4g} hours", repair.get<double>())));
  }
  if (reliability["sets"] == 0) {
    text += fmt::format(row, "every pair connected", "always: no set of faults disconnects a pair");
  } else if (reliability.contains("availability")) {
    text +=
        fmt::format(row, "every pair connected",
                    fmt::format("all but {} of the time ({})", estimate_text(reliability, "unavailability"),
                                reliability["method"].get<std::string>()));
    text += fmt::format(row, "connected pairs",
                        "all but a mean fraction of " + estimate_text(reliability, "disconnected_pairs"));
  }
  if (reliability.contains("mean_hours_to_intolerable")) {
    text += fmt::format(row, "mean time to failure",
                        estimate_text(reliability, "mean_hours_to_intolerable") +
                            " hours, until a pair is disconnected" + histories_text(reliability));
  } else if (reliability.contains("mean_up_hours")) {
    text += fmt::format(row, "mean up time",
                        estimate_text(reliability, "mean_up_hours") +
                            " hours, from every pair connected again until one is not");
  } else if (reliability.contains("availability") && reliability["sets"] != 0 &&
             reliability["unavailability"] != 1) {
    text += fmt::format(row, "mean up time", "unknown: too few of the sets tell when a pair is disconnected");
  }
  if (reliability.contains("importance") && !reliability["importance"].empty()) {
    text +=
        "  Birnbaum importance (95 % intervals of all components together): what a failure adds to the "
        "probability that some pair is "
        "disconnected\n";
    for (const Json& one : reliability["importance"])
      text += fmt::format("  {:<40}   {}\n", estimate_text(one, "birnbaum"), name_text(one["name"]));
  }
  return text;
}

std::string stop_text(const Case& one, const Json& result) {
  std::string text;
  if (result["interrupted"].get<bool>())
    text +=
        "  interrupted: what was not finished is missing, and the last point may have fewer sets than "
        "requested\n";
  const Value* width = one.options.description().find("interval-width");
  if (width == nullptr) return text;
  const double asked = std::get<double>(width->items.front());
  for (const Json& point : result["by_faults"]) {
    const Json& interval = point["intolerable_interval"];
    if (interval[1].get<double>() - interval[0].get<double>() >= asked)
      text += fmt::format("  {}: too few sets for an interval narrower than {}\n",
                          counted_text(point["faults"], "fault"), asked);
  }
  return text;
}

std::string followed_text(const Json& points) {
  std::string text =
      "  packets of all pairs, followed: those served by the routing; likely ones, which arrive eventually;\n"
      "  those that any path connects; failures by cause (dead leaf: a terminal's switch or link is dead);\n"
      "  links from terminal to terminal of pairs served, mean over fault sets\n"
      "  faults        sets     served      likely    any path   dead leaf   ping-pong    dead end   links   "
      "shortest\n";
  const auto length = [](const Json& links) {
    return links.is_number() ? fmt::format("{:.3f}", links.get<double>()) : "-";
  };
  for (const Json& point : points)
    text += fmt::format("  {:>6} {:>11} {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}   {:>5}   {:>8}{}\n",
                        count_text(point["faults"]), count_text(point["sets"]), percent(point["served"]),
                        percent(point["likely"]), percent(point["connected"]), percent(point["dead_leaf"]),
                        percent(point["ping_pong"]), percent(point["dead_end"]), length(point["links"]),
                        length(point["shortest_links"]), point["exhaustive"].get<bool>() ? "  exact" : "");
  return text;
}

std::string worst_faults_text(const Json& by_faults) {
  std::string text;
  for (const Json& point : by_faults) {
    if (!point.contains("worst_faults")) continue;
    const Json& worst = point["worst_faults"];
    const Json& faults = point["faults"];
    text += fmt::format("  the worst {}{} {} {}{}\n", faults == 1 ? "fault" : counted_text(faults, "fault"),
                        worst["exact"].get<bool>() ? "" : " found", agreeing_word(faults, "loses", "lose"),
                        counted_text(worst["pairs_lost"], "pair"),
                        worst["exact"].get<bool>()
                            ? ""
                            : fmt::format("; no others lose more than {}", count_text(worst["bound"])));
    for (const Json& name : worst["components"])
      text += fmt::format("                         {}\n", name_text(name));
  }
  return text;
}

std::string cuts_text(const Json& cuts) {
  const Json& listed = cuts["listed"];
  std::string text = fmt::format(
      "  minimum cuts           {}, each of {}\n",
      cuts["count"].is_null() ? std::string("too many to count") : cuts["count"].get<std::string>(),
      counted_text(cuts["size"], "fault"));
  for (std::size_t i = 0; i < listed.size(); ++i)
    for (std::size_t k = 0; k < listed[i].size(); ++k)
      text += fmt::format("  {:>22} {}\n", k == 0 ? fmt::format("cut {}", i + 1) : std::string(),
                          name_text(listed[i][k]));
  if (cuts["count"].is_null() || cuts["count"].get<std::string>() != std::to_string(listed.size()))
    text += fmt::format("  {:>22} {}\n", "…", "and more: --cuts N lists up to N");
  return text;
}

std::string smallest_failing_text(const Json& failing) {
  if (failing["components"].empty())
    return fmt::format(
        "  smallest failing set   none of {} sets drawn leaves the network connected and a pair unserved\n",
        count_text(failing["sets_tried"]));
  std::string text =
      fmt::format("  smallest failing set   {}, found among {} drawn\n",
                  counted_text(failing["size"], "component"), counted_text(failing["sets_tried"], "set"));
  for (const Json& name : failing["components"])
    text += fmt::format("                         {}\n", name_text(name));
  return text;
}

std::string not_counted_text(const Json& points) {
  std::string text;
  for (const Json& point : points)
    if (point.contains("not_counted"))
      text += fmt::format("  {:>6} {} sampled, not counted: {}\n", count_text(point["faults"]),
                          agreeing_word(point["faults"], "fault was", "faults were"),
                          point["not_counted"].get<std::string>());
  return text;
}

std::string likely_pairs_text(const Json& by_faults) {
  std::string text;
  for (const Json& point : by_faults) {
    if (!point.contains("likely_pairs_fraction") || point["likely_pairs_fraction"] == 0) continue;
    if (text.empty())
      text =
          "  faults        sets   likely pairs: arrive eventually, without a bound on hops (95 % interval)\n";
    text +=
        fmt::format("  {:>6} {:>11}   {} ({} %)\n", point["faults"].get<std::uint64_t>(),
                    point["likely_pairs_sets"].get<std::uint64_t>(), percent(point["likely_pairs_fraction"]),
                    interval_text(point["likely_pairs_interval"], 100));
  }
  return text;
}

/// "12.5 % (exact)", or with the interval.
std::string share_text(const Json& point, const char* fraction, const char* bounds) {
  const bool exact = point["exhaustive"].get<bool>() || point[bounds][0] == point[bounds][1];
  return fmt::format("{} ({})", percent(point[fraction]),
                     exact ? "exact" : interval_text(point[bounds], 100) + " %");
}

std::string unserved_share_text(const Json& point) {
  const bool exhaustive = point["exhaustive"].get<bool>();
  const Json& disconnected = point["disconnected_sets"];
  if (point["unserved_fraction"].is_null())
    return fmt::format("all sets{} ({}) disconnect the network", exhaustive ? "" : " drawn",
                       count_text(disconnected));
  return fmt::format("{} {} the network; of the others {} leave a pair unserved",
                     counted_text(disconnected, "set"),
                     agreeing_word(disconnected, "disconnects", "disconnect"),
                     share_text(point, "unserved_fraction", "unserved_interval"));
}

std::string unserved_text(const Json& points) {
  std::string text;
  for (const Json& point : points)
    if (point.contains("unserved_sets"))
      text += fmt::format("  {:>6} {}: {}\n", count_text(point["faults"]),
                          agreeing_word(point["faults"], "fault", "faults"), unserved_share_text(point));
  return text;
}

bool is_clustered(const Case& one) {
  const Value* placement = one.options.description().find("placement");
  return placement != nullptr && std::get<std::string>(placement->items.front()) == "clustered";
}

/// Sets that were examined, each counted once: drawn ones may be the same. Those that lie close together are
/// not all sets, and all that were drawn are counted.
std::uint64_t different_sets(const Case& one, const Json& point) {
  const auto examined = point["sets"].get<std::uint64_t>();
  if (is_clustered(one)) return examined;
  const auto total = point["sets_total"].get<std::string>();
  return total.size() > 18 ? examined : std::min<std::uint64_t>(examined, std::stoull(total));
}

std::string tolerance_text(const Json& result) {
  const auto tolerated = result["tolerated_faults"].get<std::uint64_t>();
  // A routing whose sources plan is not judged by sets that disconnect the network.
  const bool if_connected = result.value("tolerated_if_connected", false), one = tolerated == 1;
  std::string text = fmt::format("  tolerated faults       {}{}",
                                 result["tolerated_exact"].get<bool>() ? "" : "at least ", tolerated);
  if (tolerated != 0) {
    const std::string faults = one ? "single fault" : fmt::format("{} faults", tolerated);
    const std::string_view leave = one ? "leaves" : "leave";
    const std::string condition = if_connected ? fmt::format(" that {} the network connected", leave) : "";
    text += fmt::format(": any {}{} {} every pair of terminals {}", faults, condition, leave,
                        if_connected ? "served" : "connected");
  }
  text += '\n';
  if (const auto lost = result.value("pairs_lost_without_faults", std::uint64_t{0}); lost != 0)
    return text +
           labelled_line("without any fault",
                         fmt::format("{} {} disconnected; all figures below count {}, but for the pairs "
                                     "that a component disconnects alone",
                                     counted(lost, "ordered pair"), agreeing(lost, "is", "are"),
                                     agreeing(lost, "it", "them")));
  if (result["witness"].empty()) return text;
  const auto pair = name_text(result["witness_pair"]);
  text += labelled_line("one more can cut", pair.empty() ? "some pair, as these do:" : pair);
  for (const Json& name : result["witness"]) text += labelled_line("", name_text(name));
  return text;
}

std::string critical_text(const Json& result) {
  constexpr std::size_t max_lines = 8;
  const Json& critical = result["critical"];
  if (critical.empty()) return {};
  std::string text = "  disconnects alone   in a minimum cut   component\n";
  for (std::size_t i = 0; i < std::min(critical.size(), max_lines); ++i) {
    const Json& share = critical[i]["cut_share"];
    text += fmt::format(
        "  {:>17}   {:>16}   {}\n", counted_text(critical[i]["pairs_lost"], "pair"),
        share.is_null() ? std::string("not computed") : fmt::format("{} of pairs", percent(share)),
        name_text(critical[i]["name"]));
  }
  const auto count = result["critical_count"].get<std::size_t>();
  if (count > max_lines) text += fmt::format("  … and {} more: see --json\n", count - max_lines);
  if (!critical.front()["cut_share"].is_null()) {
    text += "  of pairs: of those that the fewest faults disconnect";
    if (result["unit"].get<std::string>().find('+') != std::string::npos)
      text += "; 0 % where another unit removes the same and more";
    text += '\n';
  }
  return text;
}

/// Whose paths the figures are about.
std::string routing_text(const Case& one, const Json& result) {
  if (!result.contains("routing")) return {};
  return labelled_line(
      "routing", name_text(result["routing"]) + (one.routing.is_none() ? ", the topology's default" : ""));
}

/// A limit that the figures do not respect.
std::string virtual_channels_text(const Json& result) {
  if (!result.contains("most_virtual_channels")) return {};
  const auto most = result["most_virtual_channels"].get<std::uint64_t>();
  return labelled_line("",
                       fmt::format("any path serves; not examined: whether {} {} for all",
                                   counted(most, "virtual channel"), agreeing(most, "suffices", "suffice")));
}

}  // namespace

std::string resilience_text(const Case& one, const Json& result) {
  std::string text =
      fmt::format("{}: {} {} that may fail (scope {})\n", printable(to_compact(one.topology), 1000),
                  result["components"].get<std::uint64_t>(),
                  units_text(result["components"], result["unit"].get<std::string>()),
                  result["scope"].get<std::string>());
  text += routing_text(one, result) + assumption_text(one, result) + virtual_channels_text(result);
  text += tolerance_text(result);
  if (result.contains("minimum_cuts")) text += cuts_text(result["minimum_cuts"]);
  if (result.contains("smallest_failing")) text += smallest_failing_text(result["smallest_failing"]);
  text += critical_text(result);
  if (!result["by_faults"].empty() && is_clustered(one))
    text += labelled_line("placement", "clustered: the faults of a set lie close together");
  if (!result["by_faults"].empty())
    text +=
        "  faults        sets   intolerable sets (95 % interval)           connected pairs (95 % interval)\n";
  for (const Json& point : result["by_faults"])
    text += fmt::format("  {:>6} {:>11}   {:<40}   {}\n", point["faults"].get<std::uint64_t>(),
                        different_sets(one, point),
                        share_text(point, "intolerable_fraction", "intolerable_interval"),
                        share_text(point, "connected_pairs_fraction", "connected_pairs_interval"));
  text += likely_pairs_text(result["by_faults"]);
  text += unserved_text(result["by_faults"]);
  text += not_counted_text(result["by_faults"]);
  text += lost_terminals_text(result);
  if (result.contains("reliability")) text += reliability_text(result["reliability"]);
  text += stop_text(one, result);
  text += worst_faults_text(result["by_faults"]);
  if (result.contains("followed")) text += followed_text(result["followed"]);
  return text;
}

}  // namespace faultline
