// SPDX-License-Identifier: Apache-2.0
// What the channels could carry at best, before any packet moves.
#pragma once

#include <optional>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/traffic/pattern.h"

namespace faultline {

/// Expected flits a cycle on each channel, by channel, when every source that is not silent injects one flit
/// a cycle and every packet takes any channel that its routing offers first (the lowest tier) with the same
/// probability: γ of Dally & Towles, section 3.3.1. Packets of pairs that are not connected load nothing
/// beyond the channels that they reach.
[[nodiscard]] std::vector<double> expected_channel_loads(const RoutingRelation& relation,
                                                         const TrafficPattern& pattern);

/// The largest of them. Absent for more than 4096 terminals or 2^20 pairs that talk, where nobody talks, and
/// for a trace.
[[nodiscard]] std::optional<double> ideal_busiest_load(const RoutingRelation& relation,
                                                       const TrafficPattern& pattern);

/// Flits/cycle/terminal, silent terminals counted, at which the busiest channel is full: no less than what is
/// accepted, as long as packets do spread evenly (an adaptive selection may do better). Absent as
/// ideal_busiest_load().
[[nodiscard]] std::optional<double> ideal_throughput(const RoutingRelation& relation,
                                                     const TrafficPattern& pattern);

}  // namespace faultline
