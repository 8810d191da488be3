// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/dependencies.h"

namespace faultline {

/// An order in which the nodes of a dependency graph drain: each after all that it depends on.
struct DrainOrder {
  std::vector<std::uint32_t> ranks;  ///< Verdict::unranked for nodes from which a cycle can be reached
  std::uint32_t ranked = 0;          ///< ranks are 0 … ranked - 1

  [[nodiscard]] bool complete() const { return ranked == ranks.size(); }
};

/// Linear in the size of the graph.
[[nodiscard]] DrainOrder drain_order(const DependencyGraph& graph);

}  // namespace faultline
