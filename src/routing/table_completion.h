// SPDX-License-Identifier: Apache-2.0
// Entries for packets of switches themselves, such as answers to requests of management.
#pragma once

#include <vector>

#include "routing/lid_completion.h"

namespace faultline {

/// By LID, the ports of all switches: those `kept`, and one at every switch that has none and from which
/// living channels lead to an end, but not where packets are lost: that of `before` where it leads there, or
/// that of `otherwise`, or one to a neighbour whose packets arrive. Channel dependencies on one virtual lane
/// close no cycle if one of these is found that closes none, the first that is:
///   - with all that is kept; if need be with the turns of a spanning tree among the dependencies,
///   - with what is kept one LID after the other, as far as that closes no cycle, and for a LID for which no
///     ports are found then, `otherwise` or the tree alone; likewise,
///   - with the ports that are fixed alone, `otherwise` and the tree.
/// Where the fixed ports close a cycle, all that is kept stays. Where all of these close one, cycles remain:
/// what is kept stays if nothing is missing, else ports are given all the same, for LIDs of switches first.
[[nodiscard]] std::vector<PortsTowards> complete_tables(const CabledNetwork& network,
                                                        const std::vector<LidPackets>& packets);

}  // namespace faultline
