// SPDX-License-Identifier: Apache-2.0
// Entries for packets of switches themselves, such as answers to requests of management.
#pragma once

#include <vector>

#include "faultline/infiniband/lids.h"
#include "routing/switch_ports.h"

namespace faultline {

/// A LID, and what is known of its packets.
struct LidPackets {
  infiniband::Lid lid = 0;
  std::vector<SwitchId> ends;          ///< the switches at which they leave the network of switches
  PortsTowards before;                 ///< what the tables held
  PortsTowards otherwise = {};         ///< what to choose where a port of `before` is dead; may be empty
  std::vector<SwitchId> lost_at = {};  ///< packets of terminals come here and no further
};

/// Gives an entry of `tables` to every switch that has none and from which living channels lead to an end,
/// but not to those where packets are lost: that of `before` where it leads there, or that of `otherwise`, or
/// one to a neighbour whose packets arrive, first to switches whose port of `before` is dead. Entries that
/// would close a cycle of channel dependencies on one virtual lane are avoided; if that fails, once more with
/// the turns of a spanning tree among the dependencies. Where the entries that `tables` hold close a cycle,
/// or those turns do, cycles may remain. `tables` are by switch.
void complete_tables(const Topology& topology, const FabricLabelling& fabric, const FaultSet& dead,
                     const std::vector<LidPackets>& packets, infiniband::ForwardingTables& tables);

}  // namespace faultline
