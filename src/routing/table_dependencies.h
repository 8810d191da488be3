// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "faultline/fault/fault_set.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/topology/labellings.h"
#include "routing/acyclic_dependencies.h"

namespace faultline {

/// The channel dependencies, on one virtual lane, of packets of terminals and of switches themselves for LIDs
/// of terminals and of switches: every living switch sends to every LID. Absent if they close a cycle.
[[nodiscard]] std::optional<AcyclicDependencies> dependencies_of_tables(
    const Topology& topology, const FabricLabelling& fabric, const infiniband::ForwardingTables& tables,
    const FaultSet& dead);

}  // namespace faultline
