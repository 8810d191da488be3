// SPDX-License-Identifier: Apache-2.0
// Forwarding tables that are computed anew while packets fly, as a subnet manager does it.
#pragma once

#include "faultline/routing/kind.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

/// What is built anew, for which damage beside the outages.
struct ReroutedCase {
  TopologyPtr topology;
  RelationPtr relation;  ///< that of the beginning, installed again where the network is as it was then
  Description routing;
  Damage damage;
  Switching switching = Switching::cut_through;
};

/// For each cycle in which channels go down or come up: the relation that is built for the channels down
/// then, installed `delay` cycles later. Throws Error("simulate.reroute-after") beyond 256 such cycles.
[[nodiscard]] std::vector<Rerouting> reroutings(const ReroutedCase& rerouted, const FaultSchedule& outages,
                                                std::uint64_t delay);

/// The network stops from each change until the relation for it is installed.
[[nodiscard]] std::vector<Pause> pauses_before(std::span<const Rerouting> reroutings, std::uint64_t delay);

/// The damage with all channels added that are down in a cycle.
[[nodiscard]] Damage damage_at(const Damage& damage, const FaultSchedule& outages, std::uint64_t cycle);

}  // namespace faultline
