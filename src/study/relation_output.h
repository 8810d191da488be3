// SPDX-License-Identifier: Apache-2.0
// --relation-out of every verb that runs a routing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "faultline/routing/kind.h"

namespace faultline {

inline constexpr std::string_view relation_out_help =
    "write the routing to this file, for --routing relation:file=FILE";

/// Writes `offered` to `path`, where one is given, and says in `result` what was written ("relation") and the
/// oddities of the relation ("remarks").
void report_relation(const RoutingRelation& offered, const std::optional<std::string>& path,
                     std::string_view field, nlohmann::ordered_json& result);

}  // namespace faultline
