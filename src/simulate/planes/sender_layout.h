// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "simulate/kernels/senders.h"
#include "simulate/planes/partition.h"
#include "simulate/planes/wiring.h"

namespace faultline::wormhole::planes {

/// Numbers of the senders: those of a region are together, and no register that is loaded from their bytes
/// extends into another region's.
struct SenderLayout {
  SenderLayout(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t lanes,
               const Partition& partition);

  struct Region {
    std::vector<SenderRun> runs;
    std::uint32_t first = 0, end = 0;  ///< senders
  };
  std::vector<Region> regions;
  std::vector<std::uint32_t> sender_of;  ///< by injection channel, numbered from the first
  std::uint32_t senders = 0;
  /// From a flit's sending to the use of its credit. The log is longer: what one region sends is never in the
  /// slot from which another, with the register that it loads, takes credits.
  Time longest = 1;
};

}  // namespace faultline::wormhole::planes
