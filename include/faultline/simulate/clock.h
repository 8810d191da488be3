// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#pragma GCC visibility push(default)
namespace faultline {

/// A cycle of the simulated clock. Signed, because every x86-64 compares signed words in its vector unit.
using Time = std::int32_t;

/// Later than everything: an event whose cycle is not known yet, or that does not happen.
inline constexpr Time never = std::numeric_limits<Time>::max();

/// The longest run. Times a few packets and flights beyond the end must stay below `never`.
inline constexpr Time max_cycles = Time{1} << 30;
/// Also of a control packet.
inline constexpr std::uint32_t max_packet_flits = std::uint32_t{1} << 20;
inline constexpr std::uint32_t max_buffer_packets = 64;
inline constexpr std::uint32_t max_buffer_flits = std::uint32_t{1} << 14;
inline constexpr std::uint32_t max_delay_cycles = std::uint32_t{1} << 16;
/// Of a channel of wormhole switches: a set of them is one word.
inline constexpr std::uint32_t max_virtual_channels = 32;
/// Cycles of a wormhole switch: of each stage of its pipeline, and of its use of a credit.
inline constexpr std::uint32_t max_stage_cycles = 64;
/// Of each allocation of a wormhole switch.
inline constexpr std::uint32_t max_allocation_iterations = 16;
/// Each of the three.
inline constexpr std::uint32_t max_speedup = 16;

}  // namespace faultline
#pragma GCC visibility pop
