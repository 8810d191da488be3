// SPDX-License-Identifier: Apache-2.0
// Where the forwarding tables of a real fabric lead packets while channels are dead.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// A route leads from a terminal to one LID of another. Those of terminals that are cut off (their own
/// injection or ejection channel is dead) do not count. Entries are those for LIDs of terminals, at all
/// switches that have not failed.
struct TableUse {
  std::uint64_t entries = 0;
  /// Their channel is dead, or their port has no cable or leads to another terminal.
  std::uint64_t dead_entries = 0;
  /// Packets that they forward come to a dead entry, to a switch without an entry, or round in a circle; dead
  /// entries are among them.
  std::uint64_t crossed_entries = 0;
  std::uint64_t routes = 0;
  std::uint64_t lost_routes = 0;  ///< of these: they do not arrive
  /// Of these: they would arrive if nothing were dead. No difference of two lost_routes tells, because routes
  /// of terminals that are cut off no longer count.
  std::uint64_t newly_lost_routes = 0;
  /// Of the routes that arrive, those over the network channel that most of them share.
  std::uint64_t max_link_load = 0;

  [[nodiscard]] std::uint64_t arriving_routes() const { return routes - lost_routes; }
};

/// Entries for LIDs of terminals, at switches that have not failed, that the one holds and the other does
/// not, or not with the same port. Throws Error("topology") if `topology` is no fabric.
[[nodiscard]] std::uint64_t differing_entries(const Topology& topology, const FaultSet& dead,
                                              const infiniband::ForwardingTables& before,
                                              const infiniband::ForwardingTables& after);

/// What tables make of packets to and from switches themselves, such as answers of management. A proof of a
/// relation covers those between terminals alone.
struct SwitchPackets {
  std::uint64_t entries = 0;  ///< for LIDs of switches, at switches that have not failed
  /// Packets for terminals and for switches, from either, close no cycle of channel dependencies on one
  /// virtual lane.
  bool are_acyclic = false;
};
/// While channels are dead. Throws Error("topology") if `topology` is no fabric.
[[nodiscard]] SwitchPackets switch_packets(const Topology& topology, const FaultSet& dead,
                                           const infiniband::ForwardingTables& tables);

/// The entries as channels of the topology, to which this refers as long as it lives.
class ForwardingPaths {
 public:
  /// `tables` of the fabric that `topology` was read from. Throws Error("topology") if it is no fabric.
  ForwardingPaths(const Topology& topology, const infiniband::ForwardingTables& tables);

  [[nodiscard]] TableUse use(const FaultSet& dead) const;

 private:
  class Fates;
  class Walk;
  enum class Entry : std::uint8_t { none, misled, forwards };

  const Topology& topology_;
  std::vector<TerminalId> terminal_;  ///< by column: each LID of each terminal
  std::vector<Entry> entry_;          ///< by column and switch
  std::vector<ChannelId> next_;       ///< likewise: the channel of one that forwards
};

}  // namespace faultline
#pragma GCC visibility pop
