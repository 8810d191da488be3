// SPDX-License-Identifier: Apache-2.0
// The load at which a network saturates, by bisection.
#pragma once

#include "faultline/simulate/simulate.h"

#pragma GCC visibility push(default)
namespace faultline {

struct SaturationSearch {
  struct Run {
    double load = 0;
    SimulationResult result;
  };
  /// The highest load that the search found sustained (0 if none was) and the lowest that it found saturated
  /// (absent if even the first, the most that the injection channels take, was sustained).
  double sustained_load = 0;
  std::optional<double> saturated_load;
  std::size_t decisive_run = 0;  ///< the last one at saturated_load; else the last one at sustained_load
  std::vector<Run> runs;         ///< in the order of execution
  /// Whether the loads changed by at most three times the precision when runs became four times as long, and
  /// the decisive run generated at least 4 / precision^2 packets or bursts, so that chance moves its load
  /// little; absent if the length of the runs was given.
  std::optional<bool> settled;
};

/// Runs `spec` with its load replaced, until sustained and saturated load differ by at most `precision` of
/// the latter. Just above saturation the queues grow slowly, the slower the fewer destinations are
/// overloaded, and short runs do not show it. So unless `spec` says when a run ends or what fails in it, the
/// search is repeated with runs four times as long, until the loads hardly change (`settled`) or runs have 64
/// times the default length. Throws as simulate(), and for a precision below 1e-6 or not below 1.
[[nodiscard]] SaturationSearch find_saturation(const RoutingRelation& relation, const TrafficPattern& pattern,
                                               SimulationSpec spec, double precision,
                                               const Progress& progress = {});

}  // namespace faultline
#pragma GCC visibility pop
