// SPDX-License-Identifier: Apache-2.0
// The options of `simulate` about source agents.
#pragma once

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faultline/agent/agent.h"
#include "faultline/fault/schedule.h"
#include "faultline/routing/kind.h"

namespace faultline {

/// The agent that is given; by default the routing's own if `own_by_default`. `path` is that of the field.
[[nodiscard]] std::optional<Resolved<AgentKind>> agent_asked(const std::optional<Nested<AgentKind>>& asked,
                                                             const RoutingKind& routing, bool own_by_default,
                                                             const std::string& path);

/// Terminals from their names; absent if none are given. Throws Error(field) unless there are two
/// of this network, and an agent, which opens paths.
[[nodiscard]] std::optional<std::pair<TerminalId, TerminalId>> watched_pair(
    const std::vector<std::string>& names, const Topology& topology, bool has_agent,
    const std::string& field);

/// Where sources have no agent: refuses options of agents, which would change nothing (refuse_unused()).
template <class Verb>
void check_no_agent_options(const Verb& asked, const Description& given) {
  const Verb none{};
  struct Option {
    std::string name, value;
    bool is_given;
  };
  const std::array options{
      Option{"agent-reaction", fmt::format("{}", asked.agent_reaction),
             asked.agent_reaction != none.agent_reaction},
      Option{"control-flits", fmt::format("{}", asked.control_flits),
             asked.control_flits != none.control_flits},
      Option{"control-buffers", asked.control_buffers, asked.control_buffers != none.control_buffers}};
  for (const auto& [name, value, is_given] : options)
    if (is_given)
      refuse_unused(given, name, value,
                    "must be used with an agent: it learns from acknowledgements and notifications");
}

/// Throws for `source` = plan: an agent chooses among all injection options, by what it has learned.
void refuse_plan_beside_agent(const std::string& source, const Description& given);

/// Adds to the watched pair, if any, the names of the channels that are down in `cycle`, the last of the run.
void add_channels_down(nlohmann::ordered_json& control, const FaultSchedule& outages, std::uint64_t cycle,
                       const Topology& topology);

}  // namespace faultline
