// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "faultline/simulate/simulate.h"

namespace faultline {

/// A pause is an outage of all injection channels: packets on them continue into the network, and none
/// follows.
[[nodiscard]] FaultSchedule with_pauses(const Topology& topology, FaultSchedule outages,
                                        std::span<const Pause> pauses);

}  // namespace faultline
