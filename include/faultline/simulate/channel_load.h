// SPDX-License-Identifier: Apache-2.0
// The load of each channel, and what it would be if packets spread evenly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faultline/simulate/simulate.h"

#pragma GCC visibility push(default)
namespace faultline {

/// In flits/cycle, over the whole run, of all channels, injection and ejection included.
struct ChannelLoad {
  struct Busy {
    std::string channel;
    double load = 0;
  };
  double mean = 0, max = 0;
  /// The load of the busiest channel at the offered load, if all of it were accepted and packets spread
  /// evenly (expected_channel_loads). Absent if that is too expensive to compute, and for a trace.
  std::optional<double> even_split_max;
  std::vector<Busy> busiest;  ///< at most as many as requested, the busiest first
};

/// Of a run with `channel_load`.
[[nodiscard]] ChannelLoad channel_load(const SimulationResult& result, const RoutingRelation& relation,
                                       const TrafficPattern& pattern, double offered_load,
                                       std::size_t max_names = 8);

}  // namespace faultline
#pragma GCC visibility pop
