// SPDX-License-Identifier: Apache-2.0
// Forwarding tables without dead channels: few entries are changed, and no cycle of dependencies is closed.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"

namespace faultline {

/// What the forwarding tables of all switches hold. A column is an address of a terminal, which may have
/// several; a packet is forwarded by one column from source to destination.
struct ForwardingColumns {
  std::size_t switches = 0;
  std::vector<TerminalId> terminal;  ///< by column
  std::vector<ChannelId> next;       ///< by column and switch: an output of the switch; invalid: no entry

  [[nodiscard]] std::size_t count() const { return terminal.size(); }
  [[nodiscard]] ChannelId& at(std::size_t column, SwitchId from) {
    return next[column * switches + from.index()];
  }
  [[nodiscard]] ChannelId at(std::size_t column, SwitchId from) const {
    return next[column * switches + from.index()];
  }
};

struct RepairedColumns {
  ForwardingColumns columns;
  std::uint64_t columns_chosen_anew = 0;  ///< in which paths that were whole have changed as well
  bool breaks_cycles = false;             ///< because they closed a cycle of channel dependencies
};

/// Gives every terminal's switch a path to each terminal to which channels that are alive lead, and no entry
/// for others; a link counts only while all its channels are alive. Paths that are whole stay; where they
/// close a cycle of channel dependencies, those by the dependencies that are used least do not. The other
/// switches are led to them by paths with few hops and few changed entries, each of which weighs as much as
/// `change_hops` hops, that close no cycle. If there are none, others make room: as
/// many paths as necessary are removed for the dependencies of a spanning tree to close no cycle, and after
/// that those that are in the way of a path, where the fewest are (the least used dependency of a cycle
/// goes); their switches get others. When `cuts_per_column` times as many have been removed so as there are
/// columns, all paths to a terminal are chosen anew instead, along the tree if need be. Entries of switches
/// to which no packet from a terminal comes change only if they no longer lead to the terminal, and every
/// entry that is left does; where there were no paths at all, they are added for later repairs. Throws
/// Error("routing") unless links are two-way, or one-way without a cycle.
[[nodiscard]] RepairedColumns repair(const Topology& topology, const FaultSet& known,
                                     const ForwardingColumns& before, double change_hops,
                                     std::size_t cuts_per_column = 8);

}  // namespace faultline
