// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "faultline/simulate/simulate.h"

namespace faultline {

/// "128" → one size; "8:0.5,128:0.5" → sizes with their shares. Throws Error(field).
[[nodiscard]] std::vector<PacketShare> parse_packet_mix(const std::string& text, const std::string& field);

}  // namespace faultline
