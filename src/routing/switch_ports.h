// SPDX-License-Identifier: Apache-2.0
// Entries of forwarding tables as channels.
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

/// What `tables`, which are by switch, hold for a LID.
[[nodiscard]] inline PortsTowards ports_towards(const infiniband::ForwardingTables& tables,
                                                infiniband::Lid lid) {
  PortsTowards ports;
  for (const infiniband::ForwardingTable& table : tables.switches)
    ports.push_back(table.port(lid).value_or(no_port));
  return ports;
}
inline void set_ports(infiniband::ForwardingTables& tables, infiniband::Lid lid, const PortsTowards& ports) {
  for (std::size_t at = 0; at < ports.size(); ++at) {
    std::vector<std::uint8_t>& table = tables.switches[at].ports;
    if (lid >= table.size()) table.resize(std::size_t{lid} + 1, no_port);
    table[lid] = ports[at];
  }
}

/// The living channels between switches, by the port at which they begin.
class SwitchPorts {
 public:
  /// `fabric` numbers the ports.
  SwitchPorts(const Topology& topology, const FabricLabelling& fabric, const FaultSet& dead)
      : topology_(&topology), channel_(topology.switch_count() * numbers) {
    for (const ChannelId channel : topology.channels())
      if (topology.role(channel) == ChannelRole::network && !dead.failed(channel))
        channel_[topology.source(channel).index() * numbers + fabric.output_port(topology, channel)] =
            channel;
  }
  /// Invalid for a port that leads to no switch.
  [[nodiscard]] ChannelId channel(SwitchId at, std::uint8_t port) const {
    return channel_[at.index() * numbers + port];
  }
  /// The next switch of packets that leave by `port`; likewise.
  [[nodiscard]] SwitchId behind(SwitchId at, std::uint8_t port) const {
    const ChannelId channel = this->channel(at, port);
    return channel.valid() ? topology_->target(channel) : SwitchId();
  }

 private:
  static constexpr std::size_t numbers = 256;

  const Topology* topology_;
  std::vector<ChannelId> channel_;
};

}  // namespace faultline
