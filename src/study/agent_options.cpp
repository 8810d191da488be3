// SPDX-License-Identifier: Apache-2.0
#include "study/agent_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace faultline {
namespace {

TerminalId terminal_named(const std::string& name, const Topology& topology, const std::string& field) {
  for (const TerminalId terminal : topology.terminals())
    if (topology.name(terminal) == name) return terminal;
  throw Error(field, name,
              "must be the name of a terminal of " + topology.name() + ", such as '" +
                  topology.name(TerminalId(0)) + "'");
}

/// Names may hold commas themselves: the text is divided where both parts are names.
std::pair<TerminalId, TerminalId> divided_at_a_comma(const std::string& text, const Topology& topology,
                                                     const std::string& field) {
  std::map<std::string, TerminalId> named;
  for (const TerminalId terminal : topology.terminals()) named.try_emplace(topology.name(terminal), terminal);
  std::vector<std::pair<TerminalId, TerminalId>> meant;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
    const auto source = named.find(text.substr(0, comma)), destination = named.find(text.substr(comma + 1));
    if (source != named.end() && destination != named.end())
      meant.emplace_back(source->second, destination->second);
  }
  if (meant.size() != 1)
    throw Error(field, text,
                meant.empty() ? "must be the names of two terminals: SOURCE,DESTINATION"
                              : "may mean several pairs of terminals: their names hold commas");
  return meant.front();
}

}  // namespace

std::optional<Resolved<AgentKind>> agent_asked(const std::optional<Nested<AgentKind>>& asked,
                                               const RoutingKind& routing, bool own_by_default,
                                               const std::string& path) {
  if (asked) return asked->is_none() ? std::nullopt : std::optional(asked->resolved);
  if (!own_by_default || routing.agent.empty()) return std::nullopt;
  return parse_compact(path, routing.agent);
}

std::optional<std::pair<TerminalId, TerminalId>> watched_pair(const std::vector<std::string>& parts,
                                                              const Topology& topology, bool has_agent,
                                                              const std::string& field) {
  if (parts.empty()) return std::nullopt;
  const std::string text = fmt::format("{}", fmt::join(parts, ","));
  if (!has_agent) throw Error(field, text, "must be used with an agent: it opens the paths");
  const auto pair = parts.size() == 2 ? std::pair(terminal_named(parts[0], topology, field),
                                                  terminal_named(parts[1], topology, field))
                                      : divided_at_a_comma(text, topology, field);
  if (pair.first == pair.second) throw Error(field, text, "must be two different terminals");
  return pair;
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
  for (const ChannelId channel : channels_down_in(outages, cycle)) down.push_back(topology.name(channel));
  control["watched"]["down"] = std::move(down);
}

}  // namespace faultline
