// SPDX-License-Identifier: Apache-2.0
// The same run with several seeds, in parallel.
#pragma once

#include "faultline/simulate/simulate.h"

#pragma GCC visibility push(default)
namespace faultline {

struct Replications {
  struct Run {
    std::uint64_t seed = 0;
    SimulationResult result;
  };
  /// Means over the runs of means, rates (also over time) and percentiles, with the 95 % intervals of
  /// Student's t over the runs; sums of packets, hops, cycles, flits by channel and CPU time; the longest
  /// wait. Saturated if most runs are. A deadlock is that of the first run that has one.
  SimulationResult combined;
  std::vector<Run> runs;  ///< in the order of their numbers
};

/// The seed of run `number`: that of the spec for the first.
[[nodiscard]] std::uint64_t replication_seed(std::uint64_t seed, std::uint32_t number);

/// `count` runs, at least one, at most `threads` at a time; the result does not depend on the number of
/// threads. Throws as simulate().
[[nodiscard]] Replications replicate(const RoutingRelation& relation, const TrafficPattern& pattern,
                                     const SimulationSpec& spec, std::uint32_t count, std::uint32_t threads,
                                     const Progress& progress = {});

}  // namespace faultline
#pragma GCC visibility pop
