// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/simulate/simulate.h"

namespace faultline {

/// Of packets and control packets, in options; those of a trace may be longer (max_packet_flits).
inline constexpr std::uint32_t max_flits_asked_for = std::uint32_t{1} << 16;

/// "128" → one size; "8:0.5,128:0.5" → sizes with their shares. Throws Error(field).
[[nodiscard]] std::vector<PacketShare> parse_packet_mix(const std::string& text, const std::string& field);

}  // namespace faultline
