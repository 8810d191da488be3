// SPDX-License-Identifier: Apache-2.0
// The largest set of buffers that packets can fill so that each of them waits for the others.
#pragma once

#include "verify/drain_order.h"
#include "verify/survey.h"

namespace faultline {

struct DeadlockSet {
  std::vector<std::uint32_t> members;  ///< all buffers that can be filled for ever while no packet is lost
  /// A small part whose packets wait for each other only, and how it comes about; empty where there is no
  /// deadlock, or no schedule that reaches it was found.
  std::vector<WaitingPacket> packets;
  std::vector<ScheduledStep> schedule;
  /// Where there is no set: an order of the buffers that every packet can always descend.
  std::vector<std::uint32_t> ranks;
};

/// Starts from the buffers that `order` (of all direct dependencies) leaves unranked and, round by round,
/// gives up those in which every packet has an option outside of the set. What is left cannot move. Exact
/// where a packet waits in one buffer; each round is a pass over all destinations.
/// `commits`: a packet waits for one of its options; then `ranks` prove nothing.
[[nodiscard]] DeadlockSet find_deadlock_set(const RoutingRelation& relation, const FaultSet& dead,
                                            const Buffers& buffers, const DrainOrder& order, bool commits,
                                            StopFlag stop = nullptr);

}  // namespace faultline
