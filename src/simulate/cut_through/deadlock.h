// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "faultline/simulate/simulate.h"
#include "simulate/switches/waiting.h"

namespace faultline::cut_through {

/// Heads that wait although none of the buffers that they want will take them unless another head moves.
struct BlockedHeads {
  struct Head {
    VcIndex vc;
    TerminalId source, destination;
    std::uint32_t sequence = 0;
  };
  Waits waits;  ///< in virtual channels, channel * VCs + vc
  std::vector<Head> heads;

  void add(const Head& head, std::span<const VcIndex> for_any) {
    waits.add(head.vc, for_any);
    heads.push_back(head);
  }
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

/// Whether an engine searches for a deadlock at the end of this one of `bins`, if the run goes on. At every
/// one, the search took 3 to 7 % of a run of some hundred cycles.
[[nodiscard]] inline bool searches_after(std::size_t bin, std::size_t bins) {
  constexpr std::size_t often = 4;
  return bin % often == often - 1 || bin + 1 == bins;
}

/// A channel has `vcs` virtual channels.
[[nodiscard]] Deadlock find_deadlock(const Topology& topology, std::uint32_t vcs,
                                     const BlockedHeads& blocked);

}  // namespace faultline::cut_through
