// SPDX-License-Identifier: Apache-2.0
// Which ports the switches that have none get for the packets of one LID.
#pragma once

#include <vector>

#include "faultline/infiniband/lids.h"
#include "routing/acyclic_dependencies.h"
#include "routing/switch_ports.h"

namespace faultline {

/// A network's cables. Refers to what it was made of.
struct CabledNetwork {
  CabledNetwork(const Topology& cabled, const FabricLabelling& numbered, const FaultSet& failed)
      : topology(cabled), fabric(numbered), dead(failed), ports(cabled, numbered, failed) {}

  const Topology& topology;
  const FabricLabelling& fabric;  ///< numbers the ports
  const FaultSet& dead;
  SwitchPorts ports;
};

/// A LID, and what is known of its packets.
struct LidPackets {
  infiniband::Lid lid = 0;
  std::vector<SwitchId> ends;  ///< the switches at which they leave the network of switches
  PortsTowards before;         ///< what the tables held
  PortsTowards fixed;          ///< those by which packets between terminals go
  PortsTowards kept;           ///< these, and of `before` what else leads to an end
  /// Of a switch's LID: what to choose where a port of `before` is dead.
  PortsTowards otherwise = {};
  std::vector<SwitchId> lost_at = {};  ///< packets of terminals come here and no further
};

/// What to choose, by switch, if a neighbour behind that port has one.
struct WishedPorts {
  PortsTowards towards;
  /// Which switches get one first where their wish is refused: what leads there may stay then.
  std::vector<bool> comes_first = {};
};

/// Gives `towards` where a neighbour behind the port has one or is an end, and that closes no cycle.
void give_wished_ports(const CabledNetwork& network, const LidPackets& packets, const PortsTowards& wished,
                       AcyclicDependencies& dependencies, PortsTowards& ports);

/// Gives a port to every switch that has none and from which living channels lead to an end, but not to those
/// where packets are lost: what is wished, or one to a neighbour whose packets arrive; from the ends on. Adds
/// to `dependencies` what packets by these ports hold and wait for; null if cycles cannot be avoided anyway.
/// False, and not all are given, where that would close a cycle.
[[nodiscard]] bool give_missing_ports(const CabledNetwork& network, const LidPackets& packets,
                                      const WishedPorts& wished, AcyclicDependencies* dependencies,
                                      PortsTowards& ports);
/// The same, but where nothing else is left it closes cycles, whose dependencies are not added.
void give_missing_ports_anyway(const CabledNetwork& network, const LidPackets& packets,
                               const WishedPorts& wished, AcyclicDependencies* dependencies,
                               PortsTowards& ports);

}  // namespace faultline
