// SPDX-License-Identifier: Apache-2.0
// What the page needs to draw a network and the paths that its packets can take.
#pragma once

#include <nlohmann/json.hpp>

#include "faultline/fault/components.h"
#include "faultline/routing/relation.h"

namespace faultline::report {

/// {"terminals": names, "switches": {"names", "columns", "rows"},
///  "channels": {"network": count, "injection": count, "from", "to"}, "circle"}, where an injection
/// channel comes from a terminal and an ejection channel leads to one; all others join switches. On a circle
/// the switches of rings and cliques are drawn.
[[nodiscard]] nlohmann::json draw_topology(const Topology& topology);

/// The healthy network's paths as rules shared by all destinations:
///   {"held": …, "rules": [[at, slot, channel, slot, channel, slot, …], …], "destinations": [[rule, …],
///   …]}
/// A rule says what a packet that is `at` and carries `slot` may do next: take a channel, and carry the slot
/// after it. `at` is a switch (with "held": the channel on which the packet arrived) or, for injection, -1
/// - terminal with slot -1; a slot stands for a virtual channel and a tag, -1 after an ejection channel. Only
/// options of the lowest tier are listed. Null when more than `budget` (destination, rule) entries would be
/// needed.
[[nodiscard]] nlohmann::json draw_paths(const RoutingRelation& relation, std::size_t budget = 2'000'000);

/// The channels of each named component, as a list of lists; null when a name is not that of one of
/// `components`.
[[nodiscard]] nlohmann::json draw_components(const FaultComponents& components,
                                             const std::vector<std::string>& names);

}  // namespace faultline::report
