// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "faultline/fault/schedule.h"

namespace faultline {

/// Terminals that channels which are down in the last cycle before `end` leave without a way to or from most
/// others: outside the largest set of terminals that one of them reaches and is reached from. Whatever is
/// sent to them, or by them, cannot arrive.
[[nodiscard]] std::vector<TerminalId> cut_off_terminals(const Topology& topology,
                                                        const FaultSchedule& schedule, std::uint64_t end);

}  // namespace faultline
