// SPDX-License-Identifier: Apache-2.0
// Channel dependencies, on one virtual lane, of packets of terminals and of switches themselves for LIDs of
// terminals and of switches: every living switch sends to every LID.
#pragma once

#include <optional>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/topology/labellings.h"
#include "routing/acyclic_dependencies.h"
#include "routing/switch_ports.h"

namespace faultline {

/// visit(held, wanted) for each switch that forwards packets by `towards` to another one that does.
template <class Visit>
void for_each_dependency(const Topology& topology, const SwitchPorts& ports, const PortsTowards& towards,
                         Visit visit) {
  for (const SwitchId at : topology.switches()) {
    const ChannelId held = ports.channel(at, towards[at.index()]);
    if (!held.valid()) continue;
    const SwitchId next = topology.target(held);
    const ChannelId wanted = ports.channel(next, towards[next.index()]);
    if (wanted.valid()) visit(held, wanted);
  }
}

/// Those that are used, as AcyclicDependencies::of() counts them. Absent if they close a cycle.
[[nodiscard]] std::optional<AcyclicDependencies> acyclic_dependencies(const Topology& topology,
                                                                      std::vector<std::uint32_t> uses);
/// Absent if those of `tables` close a cycle.
[[nodiscard]] std::optional<AcyclicDependencies> dependencies_of_tables(
    const Topology& topology, const FabricLabelling& fabric, const infiniband::ForwardingTables& tables,
    const FaultSet& dead);

}  // namespace faultline
