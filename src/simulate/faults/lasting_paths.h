// SPDX-License-Identifier: Apache-2.0
// Which terminals packets can still reach once channels are down for good.
#pragma once

#include <unordered_map>
#include <vector>

#include "faultline/simulate/clock.h"
#include "faultline/simulate/spec.h"

namespace faultline {

/// Used by one thread at a time.
class LastingPaths {
 public:
  LastingPaths(const Topology& topology, const FaultsInTime& faults);

  /// Whether there is a path from one terminal to another in cycle `at`, or will be.
  [[nodiscard]] bool lead(TerminalId from, TerminalId to, Time at);
  /// The same by way of a terminal that re-injects the packet.
  [[nodiscard]] bool lead(TerminalId from, TerminalId relay, TerminalId to, Time at) {
    return lead(from, relay, at) && lead(relay, to, at);
  }

 private:
  const Topology& topology_;
  FaultSet dead_;                  ///< from the start
  std::vector<Outage> permanent_;  ///< by time

  std::size_t failed_ = 0;  ///< the first of `permanent_`, for which `reaching_` is known
  std::unordered_map<std::uint32_t, std::vector<bool>>
      reaching_;  ///< by destination, as far as asked: sources
};

}  // namespace faultline
