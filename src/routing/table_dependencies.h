// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/fault/fault_set.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/topology/labellings.h"

namespace faultline {

/// Whether packets of terminals and of switches themselves, for LIDs of terminals and of switches, close no
/// cycle of channel dependencies on one virtual lane. Every living switch sends to every LID.
[[nodiscard]] bool close_no_cycle(const Topology& topology, const FabricLabelling& fabric,
                                  const infiniband::ForwardingTables& tables, const FaultSet& dead);

}  // namespace faultline
