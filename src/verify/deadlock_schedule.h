// SPDX-License-Identifier: Apache-2.0
// How packets come to fill a set of buffers, one after the other, from the empty network.
#pragma once

#include "faultline/verify/verify.h"
#include "verify/buffers.h"

namespace faultline {

struct FilledBuffers {
  std::vector<WaitingPacket> packets;  ///< one for each buffer, in their order
  std::vector<ScheduledStep> schedule;
};

/// Fills `members`, a set of buffers in which packets can wait for each other only, with packets that do.
/// Found backwards, the last packet first: it goes back to its source through the buffers that no other holds
/// and its own. Where none can go all the way, one goes back to another buffer and waits there, which is
/// tried breadth first as long as `effort` lasts (moves; reduced by those examined; 0: not tried).
/// `likely` is the destination to try first, by member; `commits`: a packet waits for one of its options.
/// Nothing where this finds no order. O(members² * moves of a destination) times the destinations in the
/// worst case, and the effort; memory for the moves of the destinations tried. Throws Stopped.
[[nodiscard]] std::optional<FilledBuffers> fill_buffers(const RoutingRelation& relation, const FaultSet& dead,
                                                        const Buffers& buffers,
                                                        const std::vector<std::uint32_t>& members,
                                                        const std::vector<TerminalId>& likely, bool commits,
                                                        std::uint64_t& effort, StopFlag stop);

}  // namespace faultline
