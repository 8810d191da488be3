// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "faultline/topology/topology.h"

namespace faultline::report {

/// The pairs of terminals that simulations of this topology watched, each once:
///   {"sets": [{"routing", "load", "setting": [text, …], "source": terminal, "destination": terminal,
///     "down": [channel, …], "paths": [{"latency": cycles, "channels": [channel, …]}, …]}, …],
///    "left_out": pairs beyond the limits of limits.h}
/// where `setting` names the traffic and what fails, as in "schedule failures.csv".
/// Results that name a channel or terminal that the topology does not have are left out.
[[nodiscard]] nlohmann::json draw_watched(std::span<const nlohmann::json* const> cases,
                                          const Topology& topology);

}  // namespace faultline::report
