// SPDX-License-Identifier: Apache-2.0
// The largest set of buffers that packets can fill so that each of them waits for the others.
#pragma once

#include <algorithm>

#include "verify/drain_order.h"
#include "verify/survey.h"

namespace faultline {

struct DeadlockSet {
  /// An order of the buffers that every packet can always descend, by whichever option it commits to if it
  /// does. Verdict::unranked for those that can be filled for ever while no packet is lost.
  std::vector<std::uint32_t> ranks;
  /// A small part of these, whose packets wait for each other only, and how it comes about; empty where there
  /// is no deadlock, or no schedule that reaches it was found.
  std::vector<WaitingPacket> packets;
  std::vector<ScheduledStep> schedule;

  [[nodiscard]] bool is_empty() const { return std::ranges::find(ranks, Verdict::unranked) == ranks.end(); }
};

/// Starts from the buffers that `order` (of all direct dependencies) leaves unranked and, round by round,
/// gives up those in which every packet has an option outside of the set. What is left cannot move. Exact
/// where a packet waits in one buffer; each round is a pass over all destinations.
/// `commits`: a packet waits for one of its options, all those behind the first 255 taken for one.
[[nodiscard]] DeadlockSet find_deadlock_set(const RoutingRelation& relation, const FaultSet& dead,
                                            const Buffers& buffers, const DrainOrder& order, bool commits,
                                            StopFlag stop = nullptr);

}  // namespace faultline
