// SPDX-License-Identifier: Apache-2.0
// The text of `topology`, from its JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace faultline {

/// Channels examined in searches for distances.
inline constexpr double distance_steps_a_second = 1e8;

/// Its figures, a line each.
[[nodiscard]] std::string topology_text(const nlohmann::ordered_json& result);

}  // namespace faultline
