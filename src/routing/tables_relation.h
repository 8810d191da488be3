// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/routing/relation.h"

namespace faultline {

/// The routing `tables` (kinds/tables.cpp): a fabric's own forwarding tables, or `others` in their place.
/// Throws Error("routing") for a topology that is no fabric, or has no tables where there are no others.
[[nodiscard]] RelationPtr tables_relation(TopologyPtr topology,
                                          std::optional<infiniband::ForwardingTables> others);

}  // namespace faultline
