// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/routing/states.h"
#include "faultline/verify/verify.h"

namespace faultline {

/// Where packets of the pair stop first, breadth first from the source. `plays` are those of the destination
/// (enumerate_plays). Nothing if they always go on. O(states + moves).
[[nodiscard]] std::optional<DeadEnd> find_dead_end(const DestinationStates& plays, TerminalId source,
                                                   TerminalId destination);

}  // namespace faultline
