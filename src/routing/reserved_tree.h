// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "routing/acyclic_dependencies.h"
#include "routing/spanning_forest.h"

namespace faultline {

struct ReservedTree {
  SpanningForest forest;
  SwitchId root;  ///< of one tree of it
};

/// Adds the turns of the first tree found that close no cycle; packets of switches can then go along it. In a
/// fat tree a leaf switch can be its root: it is where packets go down and up again. Tried are the trees of
/// the fewest hops to each of several roots, and then ones that grow from there as the dependencies let them.
/// Absent, and nothing is added, if none fits or links are not two-way.
[[nodiscard]] std::optional<ReservedTree> reserve_tree(const Topology& topology, const FaultSet& dead,
                                                       AcyclicDependencies& dependencies);

}  // namespace faultline
