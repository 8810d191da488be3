// SPDX-License-Identifier: Apache-2.0
// Which sets of faults cut some pair off, where routings are computed anew after faults.
#pragma once

#include "resilience/cuts/cut_search.h"

namespace faultline::survival {

/// How much work may go into a search for cuts.
struct CutEffort {
  std::size_t most_cuts = 200'000;
  std::uint64_t most_steps = 1'000'000'000;  ///< arcs examined
};

/// All minimal sets of pieces, of at most `largest` components, whose loss cuts some pair of terminals off.
/// Nothing where that would take more than `effort`.
[[nodiscard]] std::optional<std::vector<Cut>> network_cuts(const CutGraph& graph, const Topology& topology,
                                                           std::uint32_t largest, CutEffort effort = {});

/// What must hold for every pair to survive, one output for each minimal cut: some piece of it is alive.
struct CutRequirements {
  std::optional<Circuit> circuit;  ///< true to the network for at most `largest` faults
  std::uint32_t largest = 0;       ///< as asked for; without a circuit, the largest that is possible
};
[[nodiscard]] CutRequirements cut_requirements(const Subject& subject, std::uint32_t largest,
                                               CutEffort effort = {});

}  // namespace faultline::survival
