// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace faultline::formats {

/// The longest flight through a channel that any file may ask for, in cycles.
inline constexpr std::uint32_t max_flight_cycles = 65'536;

}  // namespace faultline::formats
#pragma GCC visibility pop
