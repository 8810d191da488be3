// SPDX-License-Identifier: Apache-2.0
// The path of one packet, leg by leg: a source may send it via an intermediate switch.
#pragma once

#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The channels on which a packet heads for the same switch (RoutingRelation::intermediate), or for the
/// destination.
struct Leg {
  SwitchId to;  ///< the intermediate switch; invalid: the destination
  std::vector<ChannelId> channels;
  bool may_choose = false;  ///< some switch on it, or the source, offers more than one channel or tag
  friend bool operator==(const Leg&, const Leg&) = default;
};

/// One path from `source` to `destination`: at each switch the first option of the lowest tier, on its lowest
/// virtual channel. `relation` is the one that switches use (build_relation). The injection channel belongs
/// to the first leg, the ejection channel to the last one. Empty if the source may not inject. The path ends
/// behind a channel of `dead`, where nothing is offered, and where a state repeats: unless it ends with a
/// living ejection channel, the packet has not arrived. Throws Error for a terminal that the network does not
/// have, and for a `dead` of another network.
[[nodiscard]] std::vector<Leg> legs_of(const RoutingRelation& relation, TerminalId source,
                                       TerminalId destination, const FaultSet& dead);

}  // namespace faultline
#pragma GCC visibility pop
