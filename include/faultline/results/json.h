// SPDX-License-Identifier: Apache-2.0
// Engine results as the JSON objects of the command-line contract.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "faultline/cost/cost.h"
#include "faultline/resilience/resilience.h"
#include "faultline/routing/table_use.h"
#include "faultline/simulate/channel_load.h"
#include "faultline/simulate/ideal.h"
#include "faultline/simulate/recovery.h"
#include "faultline/simulate/replications.h"
#include "faultline/simulate/saturation.h"
#include "faultline/verify/verify.h"

namespace faultline {

/// `topology` names a pair of terminals that is not connected.
[[nodiscard]] nlohmann::ordered_json to_json(const TopologyFigures& figures, const Topology& topology);
[[nodiscard]] nlohmann::ordered_json to_json(const PlanFigures& figures);
/// `topology` names the terminals that starve.
[[nodiscard]] nlohmann::ordered_json to_json(const SimulationResult& result, const Topology& topology);
[[nodiscard]] nlohmann::ordered_json to_json(const ChannelLoad& load);
/// A list, one for each failure that a whole bin without another one follows.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Recovery>& recoveries);
/// A list of the runs: their seeds and main figures.
[[nodiscard]] nlohmann::ordered_json to_json(const Replications& all);
/// The search alone, without the other figures of the decisive run.
[[nodiscard]] nlohmann::ordered_json to_json(const SaturationSearch& search);
/// Keys that are null where `ideal` is absent.
[[nodiscard]] nlohmann::ordered_json to_json(const std::optional<IdealThroughput>& ideal);
[[nodiscard]] nlohmann::ordered_json to_json(const ResilienceResult& result);
[[nodiscard]] nlohmann::ordered_json to_json(const TableUse& use);
/// `topology` names the channels and terminals of the counterexamples.
[[nodiscard]] nlohmann::ordered_json to_json(const Verdict& verdict, const Topology& topology);

}  // namespace faultline
