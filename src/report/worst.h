// SPDX-License-Identifier: Apache-2.0
// The faults that lose most terminals.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "faultline/topology/topology.h"

namespace faultline::report {

/// The sets of faults of resilience results that lose most terminals, one for each number of faults, as far
/// as they are of `topology`, each once:
///   {"sets": [{"unit", "scope", "names", "channels": a list for each name, "switches": dead ones, "lost":
///   terminals}], "left_out": sets beyond the limits of limits.h}
[[nodiscard]] nlohmann::json draw_worst(std::span<const nlohmann::json* const> cases,
                                        const TopologyPtr& topology);

}  // namespace faultline::report
