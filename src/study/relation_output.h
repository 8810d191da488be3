// SPDX-License-Identifier: Apache-2.0
// --relation-out of every verb that runs a routing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faultline/routing/kind.h"
#include "faultline/study/answer.h"

namespace faultline {

inline constexpr std::string_view relation_out_help =
    "write the routing to this file, for --routing relation:file=FILE";

/// Oddities of the files that the network was read from, for "remarks".
[[nodiscard]] std::vector<std::string> remarks_on(const Topology& topology);

/// Adds `offered`, made by `routing`, as a file for `path`, if given ("relation" names it). "remarks" are the
/// oddities of network and relation, and what the file does not hold: it would run differently when read
/// back.
void report_relation(const RoutingRelation& offered, const RoutingKind& routing,
                     const std::optional<std::string>& path, std::string field, Answer& answer);

/// For answers that count every path that is left, whatever virtual channels a routing recomputed without the
/// dead channels needs for it: "most_virtual_channels" is how many `healthy` may use, where it may refuse.
void remark_on_virtual_channels(const RoutingRelation& healthy, Answer& answer);

/// For answers that end where a packet is handed to a terminal (RoutingRelation::sends_again).
void remark_on_sending_again(const RoutingRelation& offered, Answer& answer);

}  // namespace faultline
