// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/routing/relation.h"
#include "faultline/topology/labellings.h"

namespace faultline {

/// `relation` as a fabric's forwarding tables can carry it: no source sends to an adapter without a LID,
/// which no packet can name and no table has an entry for. `fabric` is the labelling of its topology.
[[nodiscard]] RelationPtr addressed_relation(RelationPtr relation, const FabricLabelling& fabric);

}  // namespace faultline
