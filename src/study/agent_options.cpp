// SPDX-License-Identifier: Apache-2.0
#include "study/agent_options.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace faultline {
namespace {

TerminalId terminal_named(const std::string& name, const Topology& topology, const std::string& field) {
  for (const TerminalId terminal : topology.terminals())
    if (topology.name(terminal) == name) return terminal;
  throw Error(field, name,
              "must be the name of a terminal of " + topology.name() + ", such as '" +
                  topology.name(TerminalId(0)) + "'");
}

}  // namespace

std::optional<Resolved<AgentKind>> agent_asked(const std::optional<Nested<AgentKind>>& asked,
                                               const RoutingKind& routing, bool own_by_default,
                                               const std::string& path) {
  if (asked) return asked->is_none() ? std::nullopt : std::optional(asked->resolved);
  if (!own_by_default || routing.agent.empty()) return std::nullopt;
  return parse_compact(path, routing.agent);
}

std::optional<std::pair<TerminalId, TerminalId>> watched_pair(const std::vector<std::string>& names,
                                                              const Topology& topology, bool has_agent,
                                                              const std::string& field) {
  if (names.empty()) return std::nullopt;
  if (!has_agent) throw Error(field, names.front(), "must be used with an agent: it opens the paths");
  if (names.size() != 2)
    throw Error(field, fmt::format("{}", fmt::join(names, ",")),
                "must be the names of two terminals: SOURCE,DESTINATION");
  return std::pair(terminal_named(names[0], topology, field), terminal_named(names[1], topology, field));
}

void refuse_plan_beside_agent(const std::string& source, const Description& given) {
  if (source == "plan")
    throw Error(given.path_of("source"), source,
                "must be left out with an agent, which chooses among all injection options by what it has "
                "learned; or give agent none");
}

void add_channels_down(nlohmann::ordered_json& control, const FaultSchedule& outages, std::uint64_t cycle,
                       const Topology& topology) {
  if (!control.contains("watched")) return;
  auto down = nlohmann::ordered_json::array();
  for (const Outage& outage : outages)
    if (outage.covers(cycle)) down.push_back(topology.name(outage.channel));
  control["watched"]["down"] = std::move(down);
}

}  // namespace faultline
