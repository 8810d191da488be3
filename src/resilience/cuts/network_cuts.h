// SPDX-License-Identifier: Apache-2.0
// Which sets of faults disconnect some pair, if routings are recomputed after faults.
#pragma once

#include "resilience/cuts/cut_search.h"

namespace faultline::survival {

/// A limit for the work of a search for cuts.
struct CutEffort {
  std::size_t max_cuts = 200'000;
  std::uint64_t max_steps = 1'000'000'000;  ///< arcs examined
  StopFlag stop = nullptr;                  ///< once set, nothing more is searched
};

/// All minimal sets of pieces, of at most `largest` components, whose loss disconnects some pair of
/// terminals. Absent if that would take more than `effort`.
[[nodiscard]] std::optional<std::vector<Cut>> network_cuts(const CutGraph& graph, const Topology& topology,
                                                           std::uint32_t largest, CutEffort effort = {});

/// What must hold for every pair to survive at most `largest` faults, with one output for each minimal cut:
/// some piece of it is alive. Absent if that would take more than `effort`.
[[nodiscard]] std::optional<Circuit> cut_requirements(const Subject& subject, std::uint32_t largest,
                                                      CutEffort effort = {});

/// The largest number of faults below `beyond` for which cut_requirements() has an answer. Each number takes
/// an effort of its own.
[[nodiscard]] std::uint32_t max_faults_of_requirements(const Subject& subject, std::uint32_t beyond,
                                                       CutEffort effort = {});

}  // namespace faultline::survival
