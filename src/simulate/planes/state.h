// SPDX-License-Identifier: Apache-2.0
// What the scalar part of the fast engine keeps besides the rows, and how it reads their bits.
#pragma once

#include <cstdint>

#include "faultline/base/ids.h"
#include "faultline/routing/relation.h"
#include "simulate/kernels/vector_state.h"
#include "simulate/switches/waiting.h"
#include "simulate/wormhole/packets.h"

namespace faultline::wormhole::planes {

/// The position of the lowest set bit; there is one.
[[nodiscard]] inline std::uint32_t lowest(std::uint64_t bits) {
  return static_cast<std::uint32_t>(__builtin_ctzll(bits));
}
template <class Bits>
std::uint32_t take_lowest(Bits& bits) {
  const std::uint32_t position = lowest(bits);
  bits = static_cast<Bits>(bits & (bits - 1));
  return position;
}

/// The rows of one switch.
template <class Word>
struct Lane {
  Word* first;
  std::uint32_t lane_bits;  ///< of the number of lanes

  Word& operator[](std::uint32_t row) const { return first[std::size_t{row} << lane_bits]; }
  [[nodiscard]] bool has(std::uint32_t row, std::uint32_t port) const {
    return ((*this)[row] >> port & 1) != 0;
  }
  void set(std::uint32_t row, std::uint32_t port) const {
    (*this)[row] = static_cast<Word>((*this)[row] | Word{1} << port);
  }
  /// Sets the bit if `is_set`, without a branch.
  void add(std::uint32_t row, std::uint32_t port, bool is_set) const {
    (*this)[row] = static_cast<Word>((*this)[row] | Word{is_set} << port);
  }
  /// Makes the bit `is_set`, without a branch.
  void put(std::uint32_t row, std::uint32_t port, bool is_set) const {
    (*this)[row] = static_cast<Word>(((*this)[row] & ~(Word{1} << port)) | Word{is_set} << port);
  }
  void clear(std::uint32_t row, std::uint32_t port) const {
    (*this)[row] = static_cast<Word>((*this)[row] & ~(Word{1} << port));
  }

  /// A count whose planes begin at a row, every `stride` rows.
  [[nodiscard]] std::uint32_t count(std::uint32_t planes_from, std::uint32_t planes, std::uint32_t port,
                                    std::uint32_t stride = 1) const {
    std::uint32_t sum = 0;
    for (std::uint32_t plane = 0; plane < planes; ++plane)
      sum += static_cast<std::uint32_t>((*this)[planes_from + plane * stride] >> port & 1) << plane;
    return sum;
  }
  void set_count(std::uint32_t planes_from, std::uint32_t planes, std::uint32_t port, std::uint32_t count,
                 std::uint32_t stride = 1) const {
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      Word& row = (*this)[planes_from + plane * stride];
      row = static_cast<Word>((row & ~(Word{1} << port)) | static_cast<Word>(count >> plane & 1) << port);
    }
  }
  /// A count that is not zero becomes one less; returns whether it is still not zero.
  bool count_down(std::uint32_t planes_from, std::uint32_t planes, std::uint32_t port) const {
    std::uint32_t borrow = 1, any = 0;
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      Word& row = (*this)[planes_from + plane];
      const auto before = static_cast<std::uint32_t>(row >> port & 1);
      row = static_cast<Word>(row ^ Word{borrow != 0} << port);
      any |= before ^ borrow;
      borrow &= before ^ 1;
    }
    return any != 0;
  }
};

/// An input VC: the packet at its front, and what it wants or has. Small, because large networks have more of
/// them than fit in caches; what few runs need is in separate arrays.
template <class Word, std::uint32_t Vcs>
struct Head {
  PacketIndex packet = 0;             ///< any before the first has come
  std::uint16_t output = 0;           ///< output VC that it has: port * Vcs + VC
  std::uint16_t next_output = 0;      ///< accept pointer of VC allocation; need not wrap
  PacketQueues::Position popped = 0;  ///< where the next packet of its queue is
  bool routed : 1 = false;            ///< the packet at the front, which has no output VC
  bool parked : 1 = false;
  bool listed : 1 = false;  ///< its choices need more than the candidates and the tag
  bool alike : 1 = false;   ///< it may take any VC of its ports
  bool summed : 1 = false;  ///< of VectorState::summed_vcs it may take all at some ports, and none at others
  Word ports = 0;           ///< outputs that it may take
  Word candidates[Vcs]{};   ///< by VC, unless they are alike: those of which it may take that VC

  [[nodiscard]] Word candidates_of(std::uint32_t vc) const { return alike ? ports : candidates[vc]; }
};

/// An output port: what it leads to, and its VCs.
template <std::uint32_t Vcs>
struct alignas(16) OutputPort {
  struct Vc {
    std::uint16_t next_input = 0;       ///< grant pointer of VC allocation
    PacketQueues::Position pushed = 0;  ///< where the next packet that is given the VC is queued
  };
  VcIndex next = no_vc;  ///< VC 0 of the input at its other end; none: a terminal, or nothing
  Time flit_delay = 0;   ///< from a grant to the arrival
  TerminalId terminal;
  Vc vcs[Vcs];
};

/// A terminal's end of an injection channel: what it needs when a packet starts or ends.
template <std::uint32_t Vcs>
struct alignas(32) Sender {
  ChannelId channel;
  VcIndex vc_0 = 0;                      ///< input VC 0 at its other end
  std::uint32_t rest = 0;                ///< flits of the packet beyond those that the rows count
  std::uint32_t terminal = 0;            ///< position among those of its region
  std::uint8_t vc = 0;                   ///< of the packet, or of the last one
  PacketQueues::Position pushed[Vcs]{};  ///< by VC: where the next packet is queued
};

}  // namespace faultline::wormhole::planes
