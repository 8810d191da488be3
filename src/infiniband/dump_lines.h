// SPDX-License-Identifier: Apache-2.0
// The grammar of single lines of an ibnetdiscover dump or ibsim net file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "faultline/infiniband/fabric.h"
#include "infiniband/scan.h"

namespace faultline::infiniband {

inline constexpr std::uint32_t max_ports = 255;  ///< of a node; at a switch, the last of them has no cable

/// `switchguid=0x8f10500200b50(8f10500200b50)`, `vendid=0x8f1`, …: applies to the next record.
struct Directives {
  Guid guid = 0, port_guid = 0, system_guid = 0;
  std::uint64_t vendor = 0, device = 0;
};

/// One line of a record: `[3] "S-0008f10500108c5c"[13] # "Voltaire 4036 # 4036-8C5C" lid 16 4xQDR`, on an
/// adapter
/// `[1](2c90300080e85) "S-0008f10500108bba"[27] # lid 17 lmc 0 "Voltaire 4036 # 4036-8BBA" lid 7 4xQDR`.
struct PortLine {
  EndPort own;  ///< GUID and LID on an adapter only
  std::string remote_id;
  std::optional<std::uint32_t> remote_port;
  Guid remote_guid = 0;  ///< of an adapter's port
  Lid remote_lid = 0;
  std::string width, speed;
};

/// True where the line was a directive and has been noted in `directives`.
bool read_directive(const Line& line, Directives& directives);

/// True where the first word of a line is one of Switch, Ca, Hca, Rt.
[[nodiscard]] bool opens_record(std::string_view text);

/// The node that a line opens a record of: `Switch 36 "S-…" # "name" enhanced port 0 lid 9 lmc 0`; nothing
/// where its first word is none of Switch, Ca, Hca, Rt. Throws Error where the rest is malformed.
[[nodiscard]] std::optional<Node> read_header(const Line& line, const std::string& file);

/// Throws Error where the line is malformed.
[[nodiscard]] PortLine read_port_line(const Line& line, const std::string& file);

/// "4x" and "QDR" of 4xQDR; both empty where it does not begin with a width.
[[nodiscard]] std::pair<std::string, std::string> width_and_speed(std::string_view rate);

/// True for a speed that the tools print; a line that was cut off ends with some other word.
[[nodiscard]] bool is_known_speed(std::string_view speed);

}  // namespace faultline::infiniband
