// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "faultline/routing/plan_search.h"
#include "faultline/topology/topology.h"
#include "routing/methodology/mechanisms.h"

namespace faultline {

/// Which pairs the methodology with these mechanisms serves on a grid.
[[nodiscard]] std::unique_ptr<PlanSearch> make_grid_plan_search(TopologyPtr topology,
                                                                const Mechanisms& mechanisms,
                                                                std::string_view kernel);

/// The same, one pair after the other by search along the channels: the oracle of the one above, with which
/// it shares no code.
[[nodiscard]] std::unique_ptr<PlanSearch> make_plain_plan_search(TopologyPtr topology,
                                                                 const Mechanisms& mechanisms);

}  // namespace faultline
