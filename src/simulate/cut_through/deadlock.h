// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "faultline/simulate/simulate.h"
#include "simulate/switches/waiting.h"

namespace faultline::cut_through {

/// A head that waits although none of the buffers that it wants will take it unless another head moves.
struct Blocked {
  Waiting waits;  ///< in virtual channels, channel * VCs + vc
  TerminalId source, destination;
  std::uint32_t sequence = 0;
};

/// Heads that wait only for each other: for ever.
struct Deadlock {
  std::vector<std::string> channels, packets;

  void report(SimulationResult& result) const {
    result.deadlock = !channels.empty();
    result.deadlock_cycle = channels;
    result.deadlock_packets = packets;
  }
};

/// A channel has `vcs` virtual channels.
[[nodiscard]] Deadlock find_deadlock(const Topology& topology, std::uint32_t vcs,
                                     std::vector<Blocked> blocked);

}  // namespace faultline::cut_through
