// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/cuts/minimum_cut.h"

namespace faultline::survival {

/// The smallest set of components with a member on every path of the graph, by branch and bound: while some
/// path has none, one of its components must be taken; disjoint paths give the lower bound. `upper` is one
/// such set.
[[nodiscard]] MinimumCut smallest_hitting_set(const PairGraph& graph, MinimumCut upper, std::uint32_t limit,
                                              std::uint64_t steps);

}  // namespace faultline::survival
