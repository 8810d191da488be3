// SPDX-License-Identifier: Apache-2.0
// The grammar of single lines of `ibnetdiscover -p`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faultline/infiniband/fabric.h"
#include "infiniband/scan.h"

namespace faultline::infiniband {

/// `CA   182  1 0x001175000077d284`: a switch states the LID and the GUID of its port 0 for each of its
/// ports.
struct ListedPort {
  NodeType type = NodeType::switch_;
  Lid lid = 0;
  std::uint32_t number = 0;
  Guid guid = 0;
};

/// `SW    18  1 0x00066a00ec002dd9 4x QDR - CA   182  1 0x001175000077d284 ( 'leaf 1' - 'node179 HCA-1' )`,
/// or without a cable `SW    18  2 0x00066a00ec002dd9 4x SDR                                    'leaf 1'`.
struct PortListLine {
  ListedPort own;
  std::optional<ListedPort> far;
  std::string name, far_name;  ///< descriptions of the nodes
  std::string width, speed;
};

/// True for a line that begins with SW, CA or RT and a number, as no line of the plain form does.
[[nodiscard]] bool begins_with_listed_port(std::string_view text);

/// Nothing where the line does not begin with SW, CA or RT. Throws Error where the rest is malformed.
[[nodiscard]] std::optional<PortListLine> read_port_list_line(const Line& line, const std::string& file);

}  // namespace faultline::infiniband
