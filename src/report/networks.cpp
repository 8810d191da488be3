// SPDX-License-Identifier: Apache-2.0
#include "report/networks.h"

#include <fmt/format.h>

#include <algorithm>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "report/drawing.h"

namespace faultline::report {
namespace {

using nlohmann::json;

/// The cases of one topology.
struct Group {
  std::string topology;
  std::vector<const json*> cases;
};

std::vector<Group> by_topology(std::span<const json> cases) {
  std::vector<Group> groups;
  for (const json& one : cases) {
    const std::string topology = one.at("topology");
    if (topology.empty()) continue;
    auto group = std::ranges::find(groups, topology, &Group::topology);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{topology, {}});
    group->cases.push_back(&one);
  }
  return groups;
}

/// As a result says, so that a network that is too large need not be built to find that out.
std::optional<std::size_t> recorded_terminals(const Group& group) {
  for (const json* one : group.cases) {
    const json& result = one->at("result");
    if (const auto found = result.find("terminals"); found != result.end() && found->is_number_unsigned())
      return found->get<std::size_t>();
  }
  return std::nullopt;
}

json draw_routings(const Group& group, const TopologyPtr& topology) {
  std::vector<std::string> names;
  for (const json* one : group.cases) {
    const std::string name = one->at("routing");
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  json routings = json::array();
  for (const std::string& name : names) try {
      const RelationPtr relation =
          build_relation(topology, FaultSet(*topology), parse_compact("routing", name));
      if (json paths = draw_paths(*relation); !paths.is_null())
        routings.push_back({{"name", name}, {"paths", std::move(paths)}});
    } catch (const Error&) {
      continue;  // the drawing is still worth having without these paths
    }
  return routings;
}

/// The components that a resilience result names as a minimum cut; null when there are none or they are not
/// of `topology`.
json draw_cut(const json& one, const TopologyPtr& topology) {
  const json& result = one.at("result");
  try {
    const auto names = result.at("witness").get<std::vector<std::string>>();
    const auto unit = result.at("unit").get<std::string>(), scope = result.at("scope").get<std::string>();
    if (names.empty()) return nullptr;
    const FaultComponents components(topology, fault_units(unit, "unit"), fault_scope(scope, "scope"));
    json channels = draw_components(components, names);
    if (channels.is_null()) return nullptr;
    return {{"routing", one.at("routing")},
            {"unit", unit},
            {"scope", scope},
            {"pair", result.value("witness_pair", "")},
            {"names", names},
            {"channels", std::move(channels)}};
  } catch (const json::exception&) {
    return nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

json draw_cuts(const Group& group, const TopologyPtr& topology) {
  json cuts = json::array();
  for (const json* one : group.cases)
    if (json cut = draw_cut(*one, topology); !cut.is_null() && std::ranges::find(cuts, cut) == cuts.end())
      cuts.push_back(std::move(cut));
  return cuts;
}

std::vector<std::size_t> indices(const std::vector<std::string>& names, const std::vector<std::string>& all) {
  std::vector<std::size_t> found;
  for (const std::string& name : names)
    if (const auto at = std::ranges::find(all, name); at != all.end())
      found.push_back(static_cast<std::size_t>(at - all.begin()));
  return found;
}

/// The sets of faults of a resilience result that lose most terminals, one for each number of faults.
json draw_worst_sets(const json& one, const TopologyPtr& topology) {
  json sets = json::array();
  const json& result = one.at("result");
  try {
    const auto unit = result.at("unit").get<std::string>(), scope = result.at("scope").get<std::string>();
    const FaultComponents components(topology, fault_units(unit, "unit"), fault_scope(scope, "scope"));
    std::vector<std::string> switches, terminals;
    for (const SwitchId at : topology->switches()) switches.push_back(topology->name(at));
    for (const TerminalId terminal : topology->terminals()) terminals.push_back(topology->name(terminal));
    for (const json& point : result.at("by_faults")) {
      if (!point.contains("worst_set")) continue;
      const auto names = point.at("worst_set").get<std::vector<std::string>>();
      json channels = draw_components(components, names);
      if (names.empty() || channels.is_null()) continue;
      sets.push_back({{"unit", unit},
                      {"scope", scope},
                      {"names", names},
                      {"channels", std::move(channels)},
                      {"switches", indices(names, switches)},
                      {"lost", indices(point.at("worst_set_terminals"), terminals)}});
    }
  } catch (const json::exception&) {
    return json::array();
  } catch (const Error&) {
    return json::array();
  }
  return sets;
}

json draw_worst(const Group& group, const TopologyPtr& topology) {
  json all = json::array();
  for (const json* one : group.cases)
    for (json& set : draw_worst_sets(*one, topology))
      if (std::ranges::find(all, set) == all.end()) all.push_back(std::move(set));
  return all;
}

json draw_network(const Group& group, std::size_t drawn_terminals) {
  json network{{"topology", group.topology}};
  const auto refuse_above = [&](std::size_t terminals) {
    network["terminals"] = terminals;
    if (terminals <= drawn_terminals) return false;
    network["skipped"] =
        fmt::format("it has {} terminals; networks of up to {} are drawn", terminals, drawn_terminals);
    return true;
  };
  if (const auto terminals = recorded_terminals(group); terminals && refuse_above(*terminals)) return network;
  try {
    const TopologyPtr topology = build_topology(parse_compact("topology", group.topology));
    if (refuse_above(topology->terminal_count())) return network;
    network["drawing"] = draw_topology(*topology);
    network["routings"] = draw_routings(group, topology);
    network["cuts"] = draw_cuts(group, topology);
    network["worst"] = draw_worst(group, topology);
  } catch (const Error& error) {
    network["skipped"] = fmt::format("it cannot be built: {}", error.what());
  }
  return network;
}

}  // namespace

json draw_networks(std::span<const json> cases, std::size_t drawn_terminals) {
  json networks = json::array();
  for (const Group& group : by_topology(cases)) networks.push_back(draw_network(group, drawn_terminals));
  return networks;
}

}  // namespace faultline::report
