// SPDX-License-Identifier: Apache-2.0
// What a case would cost, estimated before the work begins: a network of a million terminals has 10^12 pairs.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "faultline/topology/topology.h"

namespace faultline {

/// Estimated from the sizes of network and relation, within a factor of about 4 on one core of a server of
/// 2024.
struct WorkEstimate {
  double destinations = 0;
  double states = 0;       ///< of the relation, over all destinations
  double fault_sets = 0;   ///< for each of which they are enumerated or evaluated
  double packet_hops = 0;  ///< simulated
  double bytes = 0;        ///< held in memory at a time
  double cpu_seconds = 0;
};

struct WorkLimits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double cpu_hours = none;
  double memory_gib = none;  ///< 2^30 bytes
};

/// The memory of this machine in GiB, or WorkLimits::none if the system does not say.
[[nodiscard]] double machine_memory_gib();

/// Throws Error(verb) that says what the work would cost and which limit (`--cpu-hours`, `--memory-gib`)
/// would have to be raised.
void require_within(const WorkLimits& limits, const WorkEstimate& estimate, const std::string& verb,
                    const Topology& topology);

}  // namespace faultline
