// SPDX-License-Identifier: Apache-2.0
// The way of one packet of a pair, leg by leg: a source may send it by way of an intermediate switch.
#pragma once

#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/routing/relation.h"

namespace faultline {

/// Channels one after the other, as far as one switch (RoutingRelation::intermediate) or the destination is
/// what the packet is on its way to.
struct Leg {
  SwitchId to;  ///< the intermediate switch; invalid: the destination
  std::vector<ChannelId> channels;
  bool may_choose = false;  ///< some switch on it, or the source, offers more than one channel or tag
  friend bool operator==(const Leg&, const Leg&) = default;
};

/// One walk from `source` to `destination`: at each place the first option of the lowest tier, on its lowest
/// virtual channel. `relation` is the one that switches use (build_relation). The channel of injection
/// belongs to the first leg, that of ejection to the last one. Nothing where the source has nothing to inject
/// by. The walk ends behind a channel of `dead`, where nothing is offered, and where a state comes again:
/// where it does not end with a living ejection channel, the packet has not arrived.
[[nodiscard]] std::vector<Leg> legs_of(const RoutingRelation& relation, TerminalId source,
                                       TerminalId destination, const FaultSet& dead);

}  // namespace faultline
