// SPDX-License-Identifier: Apache-2.0
// A routing as the forwarding tables of a real fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/routing/relation.h"
#include "faultline/topology/labellings.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Entries at switches that have failed do not count.
struct TableExport {
  infiniband::ForwardingTables tables;
  std::uint64_t entries = 0;             ///< for LIDs of terminals
  std::optional<std::uint64_t> changed;  ///< of these and of removed ones; absent if the fabric has no tables
  std::uint64_t switch_entries = 0;      ///< for LIDs of switches
  std::optional<std::uint64_t> changed_for_switches;  ///< likewise
  std::uint64_t left_out_entries = 0;                 ///< of the fabric's tables, for LIDs that no port has
  std::vector<TerminalId> without_lid;                ///< terminals for which tables have no entry
  /// Packets for terminals and for switches, from either, close no cycle of channel dependencies on one
  /// virtual lane. A proof of the relation covers those between terminals alone.
  bool acyclic_with_switches = false;
};

/// The tables by which switches forward packets as `relation` does, whatever their virtual channel: an entry
/// for each LID of each terminal that the switch can reach. A switch through which it routes no packets from
/// other terminals sends its own, such as answers of management: by the relation's entry or else the fabric's
/// own, if these lead to the terminal, or else towards a near switch whose packets arrive. Where sources
/// offer, for a terminal, exactly a tag for each of its LIDs (tag i for the i-th after the first) and packets
/// keep it, as with `tables` and `repair`, the entry of a LID is that of its tag; otherwise it is the same
/// for all LIDs and tags. Entries for a switch's LIDs are those of the fabric's own tables where these still
/// lead there; the others follow the paths to one of its terminals, by the first of its LIDs, or, if it has
/// none, the shortest ones without `dead` channels, whoever knows of these, or else lead to a near switch
/// whose packets arrive. Entries by which packets of switches, or to them, would close a cycle of channel
/// dependencies are replaced, if need be by paths along a spanning tree, unless packets between terminals
/// close one already; the search does not look for the fewest changes, and may find none. Entries for LIDs
/// that no port has stay where no other entry changes, and are left out otherwise: with the new entries, the
/// paths of terminals that come back could close a cycle. `name` is the routing's, for errors. Throws
/// Error("tables-out") if the topology is not a fabric, Error("topology.file") if a switch has no GUID of its
/// own, two ports have the same LID, one has a first LID that does not fit its LMC (lid_fits_lmc) or no
/// terminal has one, and Error("routing") where packets for a LID may leave a switch by more than one port.
[[nodiscard]] TableExport export_tables(const RoutingRelation& relation, const FaultSet& dead,
                                        std::string_view name);
/// The same of a topology that is cabled as `fabric` (fabric_of).
[[nodiscard]] TableExport export_tables(const RoutingRelation& relation, const FabricLabelling& fabric,
                                        const FaultSet& dead, std::string_view name);

}  // namespace faultline
#pragma GCC visibility pop
