// SPDX-License-Identifier: Apache-2.0
// Forwarding tables that are recomputed during a run, as a subnet manager does it.
#pragma once

#include "faultline/routing/kind.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

/// What is rebuilt, and for which damage besides the outages.
struct ReroutedCase {
  TopologyPtr topology;
  RelationPtr relation;  ///< the initial one, installed again when the network returns to its initial state
  Resolved<RoutingKind> routing;
  Damage damage;
  Switching switching = Switching::cut_through;
};

/// For each cycle in which channels go down or come up: the relation for the channels that are down then,
/// installed `delay` cycles later. Throws Error(field) for more than 256 such cycles.
[[nodiscard]] std::vector<Rerouting> reroutings(const ReroutedCase& rerouted, const FaultSchedule& outages,
                                                std::uint64_t delay, const std::string& field);

/// Sources pause from each change until the relation for it is installed.
[[nodiscard]] std::vector<Pause> pauses_before(std::span<const Rerouting> reroutings, std::uint64_t delay);

/// The damage plus all channels that are down in a cycle.
[[nodiscard]] Damage damage_at(const Damage& damage, const FaultSchedule& outages, std::uint64_t cycle);

}  // namespace faultline
