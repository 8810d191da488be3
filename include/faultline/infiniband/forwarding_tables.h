// SPDX-License-Identifier: Apache-2.0
// The linear forwarding tables of a fabric's switches, as the diagnostic tools dump them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/infiniband/fabric.h"

#pragma GCC visibility push(default)
namespace faultline::infiniband {

struct ForwardingTable {
  static constexpr std::uint8_t no_entry = 255;

  Guid switch_guid = 0;
  std::vector<std::uint8_t>
      ports;  ///< by LID: the output port, 0 for the switch itself; may be shorter than the LIDs
  friend bool operator==(const ForwardingTable&, const ForwardingTable&) = default;

  [[nodiscard]] std::optional<std::uint8_t> port(Lid lid) const {
    if (lid >= ports.size() || ports[lid] == no_entry) return std::nullopt;
    return ports[lid];
  }
  [[nodiscard]] std::size_t entry_count() const;
};

struct ForwardingTables {
  std::vector<ForwardingTable> switches;  ///< in the order of the dump
  /// By LID: the ports that entries say it is of. One, unless the tables are of different times.
  std::vector<std::vector<Guid>> port_guids;
  std::vector<std::string> remarks;  ///< LIDs that a dump announces but does not list

  /// Null for a switch without a table.
  [[nodiscard]] const ForwardingTable* find(Guid switch_guid) const;
};

/// Reads what ibroute, dump_fts, dump_lfts and OpenSM (opensm-lfts.dump, opensm.fdbs) print; multicast tables
/// and lines of other forms are skipped. `file` names the text in errors. Throws Error with the line if the
/// text holds no table, repeats a switch or an entry, or ends before the last table does.
[[nodiscard]] ForwardingTables parse_forwarding_tables(std::string_view text, const std::string& file);

/// read_file(path, field), then parse_forwarding_tables.
[[nodiscard]] ForwardingTables read_forwarding_tables(const std::filesystem::path& path,
                                                      std::string_view field);

/// A dump that OpenSM's `file` routing engine loads, with the names of switches and destinations taken from
/// `fabric`.
[[nodiscard]] std::string to_lft_dump(const ForwardingTables& tables, const Fabric& fabric);

}  // namespace faultline::infiniband
#pragma GCC visibility pop
