// SPDX-License-Identifier: Apache-2.0
// What the scalar part of the fast engine keeps beside the fabric's rows, and how it reads their bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "faultline/base/ids.h"
#include "simulate/lanes/fabric.h"
#include "simulate/waiting.h"
#include "simulate/wormhole/packets.h"

namespace faultline::wormhole::lanes {

/// The first set bit from `from` on, or from the beginning where there is none.
[[nodiscard]] inline std::uint32_t round_robin(std::uint64_t bits, std::uint32_t from) {
  const std::uint64_t preferred = bits >> from << from;
  return lowest(preferred != 0 ? preferred : bits);
}

template <class Word>
Word take_lowest(Word& bits) {
  const Word taken = bits & (~bits + 1);
  bits ^= taken;
  return taken;
}

/// The rows of one switch.
template <class Word>
struct Lane {
  Word* first;
  std::uint32_t stride;
  Word& operator[](std::uint32_t row) const { return first[std::size_t{row} * stride]; }

  /// The count of VC `bit` whose planes begin at row `first_plane`.
  [[nodiscard]] std::uint32_t count(std::uint32_t first_plane, std::uint32_t planes,
                                    std::uint32_t bit) const {
    std::uint32_t sum = 0;
    for (std::uint32_t plane = 0; plane < planes; ++plane)
      sum += static_cast<std::uint32_t>((*this)[first_plane + plane] >> bit & 1) << plane;
    return sum;
  }
};

/// The rows of all switches.
template <class Word>
struct LaneTable {
  Word* words = nullptr;
  std::uint32_t rows = 0, lanes = 1, lane_bits = 0;
  [[nodiscard]] Lane<Word> operator[](std::size_t at) const {
    return {words + (at >> lane_bits) * rows * lanes + (at & (lanes - 1)), lanes};
  }
};

/// The packet at the front of an input VC, and what it wants.
struct Front {
  PacketIndex packet = no_packet;
  std::uint8_t port = 0;
  std::uint8_t vcs = 0;
  std::uint8_t next_output = 0;  ///< accept pointer of VC allocation
  std::uint8_t popped = 0;       ///< packets that came to the front so far, modulo 256
};

struct Output {
  std::uint8_t next_input = 0;  ///< grant pointer of VC allocation
  std::uint8_t pushed = 0;      ///< packets that were given the VC so far, modulo 256
};

/// What a switch knows of the heads in it and of its neighbours.
template <class Word, std::uint32_t Ports>
struct alignas(64) Heads {
  Heads() { std::ranges::fill(ejecting, no_packet); }

  Word ejects = 0;                          ///< output VCs to terminals
  Word wanting[Ports]{};                    ///< by output port: input VCs that wait for a VC of it
  std::uint32_t next[Ports]{};              ///< by output port: number of VC 0 at its other end, or no_vc
  ChannelId input[Ports]{};                 ///< by input port
  Time ejection_cycles[Ports]{};            ///< by output port to a terminal
  Front fronts[Ports * port_bits];          ///< by input VC
  Output outputs[Ports * port_bits];        ///< by output VC
  PacketIndex ejecting[Ports * port_bits];  ///< by output VC to a terminal: the packet that has it
};

/// A terminal's end of its injection channel.
template <class Word>
struct Sender {
  const Word* crowded = nullptr;  ///< the switch's row
  std::uint32_t at = 0;
  std::uint8_t first_bit = 0;  ///< of VC 0 of the port
  std::uint8_t vc = 0;         ///< of the packet, or of the last one
  std::uint16_t left = 0;
  std::uint16_t delay = 0, fly = 0;
  std::uint8_t pushed[port_bits]{};  ///< packets that each VC was given
};

}  // namespace faultline::wormhole::lanes
