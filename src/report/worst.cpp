// SPDX-License-Identifier: Apache-2.0
#include "report/worst.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "faultline/base/error.h"
#include "faultline/fault/components.h"
#include "report/drawing.h"
#include "report/limits.h"

namespace faultline::report {
namespace {

using nlohmann::json;

/// Names, as a result gives them.
struct WorstSet {
  std::string unit, scope;
  std::vector<std::string> faults, lost;

  auto operator<=>(const WorstSet&) const = default;
};

/// None where the result is not as the verb writes it.
std::vector<WorstSet> read(const json& result) try {
  std::vector<WorstSet> sets;
  const auto points = result.find("by_faults");
  if (points == result.end()) return sets;
  for (const json& point : *points) {
    if (!point.contains("worst_set")) continue;
    WorstSet set{result.at("unit"), result.at("scope"), point.at("worst_set"),
                 point.at("worst_set_terminals")};
    if (!set.lost.empty()) sets.push_back(std::move(set));
  }
  return sets;
} catch (const json::exception&) {
  return {};
}

/// Each once.
std::vector<WorstSet> read_all(std::span<const json* const> cases) {
  std::vector<WorstSet> all;
  std::set<WorstSet> known;
  for (const json* one : cases)
    for (WorstSet& set : read(one->at("result")))
      if (known.insert(set).second) all.push_back(std::move(set));
  return all;
}

std::vector<std::size_t> indices(const std::vector<std::string>& names, const std::vector<std::string>& all) {
  std::vector<std::size_t> found;
  for (const std::string& name : names)
    if (const auto at = std::ranges::find(all, name); at != all.end())
      found.push_back(static_cast<std::size_t>(at - all.begin()));
  return found;
}

/// Null where the names are not of the network.
json drawn(const WorstSet& set, const TopologyPtr& topology) try {
  const FaultComponents components(topology, fault_units(set.unit, "unit"), fault_scope(set.scope, "scope"));
  json channels = draw_components(components, set.faults);
  if (channels.is_null()) return nullptr;
  std::vector<std::string> switches, terminals;
  for (const SwitchId at : topology->switches()) switches.push_back(topology->name(at));
  for (const TerminalId terminal : topology->terminals()) terminals.push_back(topology->name(terminal));
  return {{"unit", set.unit},
          {"scope", set.scope},
          {"names", set.faults},
          {"channels", std::move(channels)},
          {"switches", indices(set.faults, switches)},
          {"lost", indices(set.lost, terminals)}};
} catch (const Error&) {
  return nullptr;
}

}  // namespace

json draw_worst(std::span<const json* const> cases, const TopologyPtr& topology) {
  Limited sets;
  for (const WorstSet& set : read_all(cases)) {
    if (sets.is_full())
      sets.leave_out();
    else if (json one = drawn(set, topology); !one.is_null())
      sets.add(std::move(one));
  }
  return std::move(sets).result();
}

}  // namespace faultline::report
