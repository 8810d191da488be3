// SPDX-License-Identifier: Apache-2.0
// How packets of management, which come from switches or are for a switch itself, are forwarded.
#pragma once

#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/topology/labellings.h"
#include "routing/switch_ports.h"

namespace faultline {

/// Over the living channels of a network, to which it refers as long as it lives.
class PathsToSwitches {
 public:
  /// `fabric` numbers the ports.
  PathsToSwitches(const Topology& topology, const FabricLabelling& fabric, const FaultSet& dead)
      : topology_(topology), fabric_(fabric), dead_(dead), ports_(topology, fabric, dead) {}

  /// Paths of the fewest hops; at a switch that has several, that by the lowest port.
  [[nodiscard]] PortsTowards shortest(SwitchId target) const;
  /// Whether `ports` leads to `target` from every switch from which a path does, as shortest(target) says.
  [[nodiscard]] bool lead(const PortsTowards& ports, SwitchId target, const PortsTowards& shortest) const;
  /// Switches to which packets from certain ones come.
  struct Followed {
    PortsTowards towards;           ///< `no_port` at all others
    std::vector<SwitchId> lost_at;  ///< packets are lost there for want of a port
  };
  /// Of the ports towards a terminal or a switch, to which packets go from the `ends`: removes those by
  /// which packets do not come to an end over living channels. Those to which packets from `sources` come
  /// keep what they have, and are returned.
  Followed remove_what_does_not_arrive(PortsTowards& ports, const std::vector<SwitchId>& ends,
                                       const std::vector<SwitchId>& sources) const;

 private:
  const Topology& topology_;
  const FabricLabelling& fabric_;
  const FaultSet& dead_;
  SwitchPorts ports_;
};

}  // namespace faultline
