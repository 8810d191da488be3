// SPDX-License-Identifier: Apache-2.0
#include "study/verify_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "faultline/base/counted.h"
#include "study/answer_text.h"
#include "study/assumption_text.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

std::string pair_text(const Json& pair) { return name_text(pair[0]) + " -> " + name_text(pair[1]); }

/// What the sources hold, as shares of all ordered pairs of switches.
std::string plans_text(const Json& plans) {
  const double pairs = plans["pairs"].get<double>();
  const auto share = [&](const char* key) {
    return percent(plans[key].get<double>() / std::max(1.0, pairs));
  };
  return labelled_line("plans", fmt::format("{} of pairs directly; {} via an intermediate switch, {} with "
                                            "adaptivity off, {} misrouted",
                                            share("direct"), share("intermediate"), share("deterministic"),
                                            share("misrouted"))) +
         labelled_line("hops beyond shortest",
                       fmt::format("{:.3g} on average, at most {}", plans["extra_hops_mean"].get<double>(),
                                   count_text(plans["extra_hops_max"]))) +
         labelled_line("memory at sources",
                       fmt::format("{} bits per header; {:.0f} bits per source on average, at most {}",
                                   count_text(plans["header_bits"]), plans["source_bits_mean"].get<double>(),
                                   count_text(plans["source_bits_max"])));
}

std::string sets_text(const Json& point) {
  const auto sets = point["sets"].get<std::uint64_t>();
  return point["exhaustive"].get<bool>() ? all_counted(sets, "set") : counted(sets, "drawn set");
}

/// A line for every pair, so that a script can read them.
std::string livelocks_text(const Json& pairs, const std::string& failed) {
  std::string text;
  for (const Json& pair : pairs) text += labelled_line("may never arrive", pair_text(pair) + failed);
  return text;
}

std::string failed_text(const Json& names) {
  constexpr std::size_t max_lines = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_lines); ++i)
    text += labelled_line(i == 0 ? "failed" : "", name_text(names[i]));
  if (names.size() > max_lines)
    text += labelled_line("", fmt::format("… and {} more: see --json", names.size() - max_lines));
  return text;
}

std::string certificate_text_of(const Json& result) {
  const std::string_view covers = !result.contains("by_faults") ? ""
                                  : result.contains("failed")
                                      ? "for what failed above, without further faults; "
                                      : "for the network without faults, not for the sets above; ";
  return fmt::format("{} ({}check it with faultline-check)", name_text(result["certificate"]), covers);
}

std::string tables_text(const Json& result) {
  std::string text = (result["tables"].is_null() ? "not written" : name_text(result["tables"])) + ": " +
                     counted_text(result["total_entries"], "entry") + " for adapters";
  const auto changed = [](const Json& count) {
    return count.is_null() ? "" : " (" + count_text(count) + " changed, added or removed)";
  };
  text += changed(result["changed_entries"]) + ", " + count_text(result["switch_entries"]) + " for switches" +
          changed(result["changed_switch_entries"]);
  if (const auto left_out = result.value("left_out_entries", std::uint64_t{0}); left_out != 0)
    text +=
        fmt::format("; {} for LIDs that no port has {} left out", left_out, agreeing(left_out, "is", "are"));
  if (const Json& without = result["without_lid"]; !without.empty())
    text += fmt::format("; none for {} without a LID: {}", count_text(without.size()),
                        printable(joined(without), 300));
  if (result["method"] == "deadlock")
    text += "; packets that these tables route can deadlock";
  else if (result["method"] == "unproved")
    text += "; not proved free of deadlock";
  else if (result["virtual_channels"] != 1)
    text += fmt::format(
        "; free of deadlock only with service levels for {} virtual lanes, which tables do not "
        "hold",
        count_text(result["virtual_channels"]));
  return text;
}

/// What the proof does not cover, of tables with entries for switches.
std::string switch_packets_text(const Json& result) {
  if (!result.contains("acyclic_with_switches") || result["switch_entries"] == 0) return {};
  return labelled_line(
      "", result["acyclic_with_switches"].get<bool>()
              ? "packets to and from switches themselves close no cycle with them either"
              : "the verdict does not cover packets to and from switches themselves: with these, channel "
                "dependencies have a cycle");
}

/// What the tables in use do with what failed, and what the new ones do with the channels that are left.
std::string table_use_text(const Json& result) {
  const Json& load = result["max_link_load"];
  const std::string busiest = fmt::format("{} {} the busiest channel between switches",
                                          counted_text(load, "route"), agreeing_word(load, "uses", "share"));
  const std::string covered = switch_packets_text(result);
  if (result["routes"].is_null()) return covered + labelled_line("", busiest);
  return covered + labelled_line("", busiest + "; before: " + count_text(result["max_link_load_before"])) +
         labelled_line("tables before",
                       fmt::format("{} of {} lost; {} dead, {} leading to a failure",
                                   count_text(result["lost_routes"]), counted_text(result["routes"], "route"),
                                   counted_text(result["dead_entries"], "entry"),
                                   count_text(result["crossed_entries"])));
}

/// Why the first of the pairs that may fail to arrive does.
std::string dead_end_text(const Json& result) {
  const Json& end = result.value("dead_end", Json(nullptr));
  if (end.is_null()) return {};
  const std::string source = name_text(end["source"]), destination = name_text(end["destination"]);
  if (end["walk"].empty())
    return labelled_line("dead end", fmt::format("{} is offered no channel to {}", source, destination));
  std::string text =
      labelled_line("dead end", fmt::format("{} -> {}, after these channels:", source, destination));
  for (const Json& channel : end["walk"]) text += labelled_line("", name_text(channel));
  if (end.contains("lid"))
    return text + labelled_line("", fmt::format("no entry at {} for LID {} leads on",
                                                name_text(end["switch"]), end["lid"].get<std::uint64_t>()));
  return text + labelled_line("", end["on_dead_channel"].get<bool>()
                                      ? "the last of which is dead"
                                      : fmt::format("no option at {} (virtual channel {}, tag {})",
                                                    name_text(end["switch"]), end["vc"].get<int>(),
                                                    end["tag"].get<std::uint64_t>()));
}

std::string connected_text(const Json& result) {
  const auto cut_off = result.value("cut_off_pairs", std::uint64_t{0});
  std::uint64_t pairs = 0;
  for (const Json& of_class : result["pairs"]) pairs += of_class.get<std::uint64_t>();
  const bool none_is_left = cut_off != 0 && cut_off == pairs;
  std::string text = labelled_line(
      "connected",
      none_is_left ? "no pair of terminals is left"
      : result["connected"].get<bool>()
          ? cut_off != 0 ? "yes, every pair of terminals that are not cut off" : "yes, every pair"
          : fmt::format("no: {} may fail to arrive", counted_text(result["unreachable_pairs"], "pair")));
  for (const Json& pair : result["unreachable"]) text += labelled_line("", pair_text(pair));
  if (result["unreachable_pairs"].get<std::uint64_t>() > result["unreachable"].size())
    text += labelled_line("", "…");
  text += dead_end_text(result);
  if (cut_off != 0)
    text += labelled_line(
        "cut off",
        fmt::format("{} {} a terminal all of whose injection or ejection channels are dead; no routing "
                    "could serve {}",
                    counted_text(result["cut_off_pairs"], none_is_left ? "pair" : "more pair"),
                    agreeing_word(result["cut_off_pairs"], "has", "have"),
                    agreeing_word(result["cut_off_pairs"], "it", "them")));
  return text;
}

std::string deadlock_text(const Json& result) {
  const auto method = result["method"].get<std::string>();
  const std::string on_vcs =
      result["virtual_channels"] == 1
          ? ""
          : fmt::format(", on {} virtual channels", count_text(result["virtual_channels"]));
  // What is said of tables alone is less than what is proved of the routing.
  const std::string proved =
      (result["deadlock_free"].get<bool>() ? "" : "not by tables alone; ") + ("proved by " + method + on_vcs);
  std::string text =
      labelled_line("free of deadlock", method == "deadlock"   ? "no: these packets wait for each other"
                                        : method == "unproved" ? "not proved, and no deadlock found"
                                                               : proved);
  for (const Json& packet : result["cycle"])
    text += labelled_line("", fmt::format("{}, virtual channel {}: {} -> {}", name_text(packet["channel"]),
                                          packet["vc"].get<int>(), name_text(packet["source"]),
                                          name_text(packet["destination"])));
  return text;
}

std::string livelock_text(const Json& result) {
  std::string text = labelled_line(
      "free of livelock", result["livelock_free"].get<bool>()
                              ? "yes: at most " + counted_text(result["max_hops"], "switch") + " on a path"
                              : "no: packets may travel for ever");
  for (const Json& channel : result["endless_walk"]) text += labelled_line("", name_text(channel));
  return text;
}

/// Sets of faults that take the last channel to or from a terminal are counted apart: no routing could help.
std::string disconnected_sets_text(const Json& point) {
  const auto disconnected = point["disconnected_sets"].get<std::uint64_t>();
  const std::string leaving =
      fmt::format("{} {} some pair", disconnected, agreeing(disconnected, "leaves", "leave"));
  const auto cut_off = point.value("cut_off_sets", std::uint64_t{0});
  if (cut_off == 0) return leaving + " unserved";
  return fmt::format("{} {} some terminal off, {} of other terminals unserved", cut_off,
                     agreeing(cut_off, "cuts", "cut"), leaving);
}

/// Sets whose verdict is missing, because there is no routing to verify.
std::string not_built_text(const Json& point) {
  const auto sets = point.value("not_built_sets", std::uint64_t{0});
  if (sets == 0) return {};
  return labelled_line("", fmt::format("{} not proved: the routing needs more virtual channels than it may "
                                       "use, and cannot be built",
                                       sets)) +
         labelled_line("", "the first of those: " + printable(joined(point["not_built_witness"]), 1000));
}

/// Of sets that were drawn from more: what is known of all.
std::string interval_of_all(const Json& point) {
  if (point["exhaustive"].get<bool>()) return {};
  return labelled_line(
      "",
      fmt::format("of all sets {} % leave some pair unserved, {} % are not free of deadlock or not proved so "
                  "(95 % intervals)",
                  interval_text(point["disconnected_interval"], 100),
                  interval_text(point["not_deadlock_free_interval"], 100)));
}

/// "holds" alone is said of what was examined in full.
std::string headline(const Json& result) {
  if (!result["holds"].get<bool>()) return "DOES NOT HOLD";
  if (result.value("interrupted", false))
    return "holds for the fault sets verified before the interruption, which are not all";
  const Json& points = result.value("by_faults", Json::array());
  const bool is_sampled =
      std::ranges::any_of(points, [](const Json& point) { return !point["exhaustive"].get<bool>(); });
  return is_sampled ? "holds for the fault sets drawn, which are not all" : "holds";
}

/// All sets of one number of faults.
std::string fault_sets_text(const Json& point) {
  std::string text = labelled_line(
      counted_text(point["faults"], "fault"),
      fmt::format("{}: {}, {} not free of deadlock or not proved so, {} without a bound on hops",
                  sets_text(point), disconnected_sets_text(point),
                  count_text(point["not_deadlock_free_sets"]), count_text(point["endless_sets"])));
  text += interval_of_all(point) + not_built_text(point);
  if (!point["witness"].empty() && point["witness"] != point.value("not_built_witness", Json::array()))
    text += labelled_line("", "the first that does not hold: " + printable(joined(point["witness"]), 1000));
  if (point.contains("livelocks"))
    for (const Json& one : point["livelocks"])
      text += livelocks_text(one["pairs"], ", with " + joined(one["failed"]) + " failed");
  return text;
}

/// What the verdict on deadlock assumes.
std::string switches_text(const Json& result) {
  const std::string model = result["switching"] == "wormhole" ? "wormhole (switching wormhole)"
                                                              : "virtual cut-through (switching vct)";
  if (result["selection"].is_null()) return labelled_line("switches", model);
  return labelled_line("switches", model + ", selection " + name_text(result["selection"]));
}

}  // namespace

std::string verify_text(const Case& one, const Json& result) {
  std::string text = fmt::format("{}: {}\n", printable(to_compact(one.topology), 1000), headline(result));
  if (result.contains("routing")) text += labelled_line("routing", name_text(result["routing"]));
  text += switches_text(result);
  if (result.contains("failed")) text += failed_text(result["failed"]);
  if (result.contains("failed") || result.contains("by_faults"))
    text += assumption_text(one, result);
  else if (result["knowledge"] == "all")  // decides even then, where the routing has dead ends
    text += labelled_line("assumed",
                          "switches use no option that cannot lead to the destination (knowledge all)");
  text += connected_text(result) + deadlock_text(result);
  if (!result.contains("tables")) text += switch_packets_text(result);
  text += livelock_text(result);
  text += labelled_line("examined", fmt::format("{}, {}, {}", counted_text(result["states"], "state"),
                                                counted_text(result["moves"], "move"),
                                                counted_text(result["dependencies"], "channel dependency")));
  if (result.contains("plans")) text += plans_text(result["plans"]);
  if (result.contains("livelocks")) text += livelocks_text(result["livelocks"], "");
  if (result.contains("by_faults"))
    for (const Json& point : result["by_faults"]) text += fault_sets_text(point);
  if (result.contains("tables"))
    text += labelled_line("tables", tables_text(result)) + table_use_text(result);
  if (one.options.description().find("certificate") != nullptr)
    text += labelled_line("certificate", result["certificate"].is_null()
                                             ? "none is written: there is neither a proof nor a deadlock"
                                             : certificate_text_of(result));
  return text;
}

}  // namespace faultline
