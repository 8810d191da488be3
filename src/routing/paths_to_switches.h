// SPDX-License-Identifier: Apache-2.0
// How packets of management, which come from switches or are for a switch itself, are forwarded.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/topology/labellings.h"

namespace faultline {

/// By switch: the port by which it forwards packets for a certain LID, of a switch or a terminal; `no_port`
/// if it does not. That of a switch for its own LID is 0.
using PortsTowards = std::vector<std::uint8_t>;
inline constexpr std::uint8_t no_port = infiniband::ForwardingTable::no_entry;

/// Over the living channels of a network, to which it refers as long as it lives.
class PathsToSwitches {
 public:
  /// `fabric` numbers the ports.
  PathsToSwitches(const Topology& topology, const FabricLabelling& fabric, const FaultSet& dead)
      : topology_(topology), fabric_(fabric), dead_(dead) {}

  /// Paths of the fewest hops; at a switch that has several, that by the lowest port.
  [[nodiscard]] PortsTowards shortest(SwitchId target) const;
  /// Whether `ports` leads to `target` from every switch from which a path does, as shortest(target) says.
  [[nodiscard]] bool lead(const PortsTowards& ports, SwitchId target, const PortsTowards& shortest) const;
  /// Of the ports towards a terminal or a switch, to which packets go from the `ends`: removes those by
  /// which packets do not come to an end over living channels, and gives one to every switch from which they
  /// can: that of `before` where it leads there, or that of `otherwise` (empty: none), or one to a neighbour
  /// whose packets arrive, first to switches whose port of `before` is dead. Those to which packets from
  /// `sources` come keep what they have.
  void complete(PortsTowards& ports, const std::vector<SwitchId>& ends, const std::vector<SwitchId>& sources,
                const PortsTowards& before, const PortsTowards& otherwise) const;

 private:
  class Completion;

  /// Invalid for a port that leads to no switch.
  [[nodiscard]] SwitchId behind(SwitchId at, std::uint8_t port) const;

  const Topology& topology_;
  const FabricLabelling& fabric_;
  const FaultSet& dead_;
};

}  // namespace faultline
