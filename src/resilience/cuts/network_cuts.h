// SPDX-License-Identifier: Apache-2.0
// Which sets of faults disconnect some pair, if routings are recomputed after faults.
#pragma once

#include "resilience/cuts/cut_search.h"

namespace faultline::survival {

/// A limit for the work of a search for cuts.
struct CutEffort {
  std::size_t most_cuts = 200'000;
  std::uint64_t most_steps = 1'000'000'000;  ///< arcs examined
};

/// All minimal sets of pieces, of at most `largest` components, whose loss disconnects some pair of
/// terminals. Absent if that would take more than `effort`.
[[nodiscard]] std::optional<std::vector<Cut>> network_cuts(const CutGraph& graph, const Topology& topology,
                                                           std::uint32_t largest, CutEffort effort = {});

/// What must hold for every pair to survive, with one output for each minimal cut: some piece of it is alive.
struct CutRequirements {
  std::optional<Circuit> circuit;  ///< exact for at most `largest` faults
  std::uint32_t largest = 0;       ///< as requested; without a circuit, the largest that is possible
};
[[nodiscard]] CutRequirements cut_requirements(const Subject& subject, std::uint32_t largest,
                                               CutEffort effort = {});

}  // namespace faultline::survival
