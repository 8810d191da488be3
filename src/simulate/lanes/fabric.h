// SPDX-License-Identifier: Apache-2.0
// The state of all switches as words: one lane of a vector a switch, one bit of its word a virtual channel
// (VC). Bit 4 p + v is VC v of port p, of an input or of an output as the row says. A group is as many
// switches as there are lanes.
//
// No flit is stored. A VC is an occupancy, a count of flits left and the bits below; counts are bit-planes
// (row i holds bit i of the count of every VC). A round-robin pointer is a thermometer: the bits from the
// pointer on.
#pragma once

#include <bit>
#include <cstdint>

#include "simulate/clock.h"

namespace faultline::wormhole::lanes {

inline constexpr std::uint32_t port_bits = 4;  ///< VCs of a port

/// The place of the lowest set bit; there is one. (std::countr_zero looks whether there is, where there is no
/// tzcnt.)
[[nodiscard]] inline std::uint32_t lowest(std::uint64_t bits) {
  return static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

template <class Word>
std::uint32_t next_index(Word& bits) {
  const std::uint32_t index = lowest(bits);
  bits &= bits - 1;
  return index;
}

/// Where a group's rows are.
struct Rows {
  std::uint32_t planes, ports;

  [[nodiscard]] constexpr std::uint32_t flits(std::uint32_t plane) const { return plane; }  ///< by input VC
  [[nodiscard]] constexpr std::uint32_t left(std::uint32_t plane) const {
    return planes + plane;
  }  ///< by input VC
  [[nodiscard]] constexpr std::uint32_t credits(std::uint32_t plane) const {
    return 2 * planes + plane;
  }  ///< by output VC
  /// Input VCs whose packet has a VC of output port p; those whose packet has VC v of whatever port.
  [[nodiscard]] constexpr std::uint32_t to_port(std::uint32_t port) const { return 3 * planes + port; }
  [[nodiscard]] constexpr std::uint32_t to_vc(std::uint32_t vc) const { return 3 * planes + ports + vc; }
  /// iSLIP: inputs from an output's grant pointer on (lowest bit of each port); inputs whose accept pointer
  /// is not past it.
  [[nodiscard]] constexpr std::uint32_t grant_from(std::uint32_t port) const {
    return to_vc(port_bits) + port;
  }
  [[nodiscard]] constexpr std::uint32_t accept_from(std::uint32_t port) const {
    return grant_from(ports) + port;
  }
  [[nodiscard]] constexpr std::uint32_t serve_from() const {
    return accept_from(ports);
  }  ///< VCs from each input's pointer on
  [[nodiscard]] constexpr std::uint32_t idle() const {
    return serve_from() + 1;
  }  ///< input VCs without a front packet
  [[nodiscard]] constexpr std::uint32_t waiting() const {
    return serve_from() + 2;
  }  ///< input VCs that want an output VC
  [[nodiscard]] constexpr std::uint32_t retry() const {
    return serve_from() + 3;
  }  ///< not 0: asking again is not in vain
  [[nodiscard]] constexpr std::uint32_t allocated() const { return serve_from() + 4; }  ///< output VCs
  [[nodiscard]] constexpr std::uint32_t crowded() const {
    return serve_from() + 5;
  }  ///< input VCs that may lack room
  /// What the last cycle left to do: input VCs with a new front packet; output VCs that a tail has passed.
  [[nodiscard]] constexpr std::uint32_t routed() const { return serve_from() + 6; }
  [[nodiscard]] constexpr std::uint32_t freed() const { return serve_from() + 7; }
  [[nodiscard]] constexpr std::uint32_t count() const { return serve_from() + 8; }
};

/// Where the lanes of a group find what a port receives: in the logs of grants of the switches at its other
/// end. Most groups look into at most two others, which a permutation combines; the rest gather.
struct Pull {
  enum class Mode : std::uint8_t { none, permute, gather };
  Mode mode = Mode::none;
  std::uint32_t first = 0, second = 0;  ///< permute: offsets of two groups within a slot of the log
  Time first_delay = 0, second_delay = 0;
  std::uint32_t gathered = 0;  ///< gather: place among the gathers
};

/// Per lane of a pull, a byte each, in this order: its place in the two groups side by side, how far to
/// rotate the word, and 15 where there is something to receive, else 0. (Bytes, because they are read from
/// memory in every cycle.)
enum PullBytes : std::uint32_t { pull_index, pull_rotate, pull_open, pull_bytes };

/// A lane of a gather: an offset within a slot of the log, and how old the slot is.
struct Gathered {
  std::uint32_t offset = 0;
  Time delay = 1;
};

/// Where one switch alone puts what it grants: the flits of an output at the switch at its other end, the
/// credits of an input at the switch that feeds it. What nobody reads has an offset of its own.
struct Push {
  std::uint32_t offset = 0;  ///< within a slot of what is pushed
  std::uint16_t first_bit = 0;
  std::uint16_t delay = 1;
};

/// Sets of lanes (bit l: lane l) that the vector part of a cycle leaves to the scalar part.
struct LaneSets {
  std::uint32_t allocate = 0, tails = 0, routed = 0;
};

/// All that the vector part works on. `lanes` switches a group; arrays are aligned to a vector.
template <class Word>
struct Fabric {
  std::uint32_t groups = 0;
  std::uint32_t lanes = 1;
  std::uint32_t switches = 0;                ///< groups * lanes
  Word* rows = nullptr;                      ///< [group][row][lane]
  const Pull* pulls = nullptr;               ///< [group][port][flits, credits]
  const std::uint8_t* pull_lanes = nullptr;  ///< [group][port][flits, credits][pull byte][lane]
  const Gathered* gathered = nullptr;        ///< [gather][lane]
  Word* log = nullptr;           ///< [cycle % slots][output VCs, input VCs][switch]: what was granted
  const Push* pushes = nullptr;  ///< one lane: [switch][flits of outputs, credits of inputs][port]
  Word* pushed = nullptr;  ///< one lane: [cycle % slots][input VCs by switch, output VCs by switch, nobody]
  std::uint32_t sent_slots = 1;  ///< a power of two, above the delay and length of any burst
  Word* sent =
      nullptr;  ///< [cycle % sent_slots][switch]: input VCs that terminals send to, by cycle of arrival
  std::uint32_t slots = 1;  ///< a power of two, above every delay
  std::uint32_t packet_flits = 1;
  std::uint32_t crowded_plane = 0;  ///< a count with a bit in this plane or above is crowded

  [[nodiscard]] std::size_t slot(Time cycle) const { return static_cast<std::uint32_t>(cycle) & (slots - 1); }
  [[nodiscard]] Word* log_of(Time cycle) const { return log + slot(cycle) * (2 * std::size_t{switches}); }
  [[nodiscard]] Word* pushed_at(Time cycle) const {
    return pushed + slot(cycle) * (2 * std::size_t{switches} + 1);
  }
  [[nodiscard]] Word* sent_at(Time cycle) const {
    return sent + (static_cast<std::uint32_t>(cycle) & (sent_slots - 1)) * std::size_t{switches};
  }
};

/// The vector part of a cycle for one group.
template <class Word>
using Advance = LaneSets (*)(const Fabric<Word>& fabric, std::uint32_t group, Time now);

}  // namespace faultline::wormhole::lanes
