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

/// Fills `members`, a set of buffers in which packets can wait for each other only, with packets that do:
/// each goes all the way while those before it stay. Found backwards, the last packet first: it has to get by
/// with the buffers outside of the set and its own. `likely` is the destination to try first, by member;
/// `commits`: a packet waits for one of its options.
/// Nothing where this finds no order. O(members² * states of a destination), times the destinations in the
/// worst case, and memory for the states of the destinations tried. Throws Stopped.
[[nodiscard]] std::optional<FilledBuffers> fill_buffers(const RoutingRelation& relation, const FaultSet& dead,
                                                        const Buffers& buffers,
                                                        const std::vector<std::uint32_t>& members,
                                                        const std::vector<TerminalId>& likely, bool commits,
                                                        StopFlag stop);

}  // namespace faultline
