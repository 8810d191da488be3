// SPDX-License-Identifier: Apache-2.0
// Deadlock freedom by the escape subrelation that a relation declares.
#pragma once

#include <optional>

#include "verify/survey.h"

namespace faultline {

/// Ranks of the escape buffers (Verdict::ranks), or nothing where their dependencies have a cycle. The caller
/// has checked that the escape is open to every packet.
///
/// Wormhole: extended dependencies (Duato, 1995). A packet that holds an escape channel, in whichever role,
/// and has since gone on by adaptive channels only, depends on every escape channel that it may ask for:
/// direct and indirect dependencies, and both cross dependencies.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> escape_order_wormhole(const RoutingRelation& relation,
                                                                              const FaultSet& dead,
                                                                              const Buffers& buffers,
                                                                              const Survey& survey,
                                                                              StopFlag stop);

/// Cut-through: a packet holds one buffer at a time, so that direct dependencies suffice. A ring that keeps a
/// bubble (RoutingRelation::bubble_rings) always moves, so it counts as one node that does not wait for
/// itself. Adaptive buffers come after all escape buffers.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> escape_order_cut_through(
    const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers, const Survey& survey,
    StopFlag stop);

}  // namespace faultline
