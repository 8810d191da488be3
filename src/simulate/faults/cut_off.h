// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "faultline/simulate/spec.h"

namespace faultline {

/// Terminals without a path to or from most others because of channels that are down in the last cycle before
/// `end`, and others that were dead from the start; none where no channel is down. For each terminal take
/// those that it both reaches and is reached from: cut off are all outside the largest such set. What is sent
/// to them, or by them, cannot arrive.
[[nodiscard]] std::vector<TerminalId> cut_off_terminals(const Topology& topology, const FaultsInTime& faults,
                                                        std::uint64_t end);

}  // namespace faultline
