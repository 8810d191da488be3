// SPDX-License-Identifier: Apache-2.0
// Reads the list of ports that `ibnetdiscover -p` prints.
#pragma once

#include <string>
#include <string_view>

#include "infiniband/cabling.h"

namespace faultline::infiniband {

/// Whether the first line that belongs to a fabric is one of `ibnetdiscover -p`.
[[nodiscard]] bool is_port_list(std::string_view text);

/// Finds the nodes that the ports of such a list belong to. Throws Error if a line is malformed or repeated,
/// if a cable ends at a node without a line, or if the list ends among the ports of a switch.
[[nodiscard]] Dump read_port_list(std::string_view text, const std::string& file);

}  // namespace faultline::infiniband
