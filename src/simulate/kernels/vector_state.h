// SPDX-License-Identifier: Apache-2.0
// The state of all switches as rows of words: a lane is a switch, a row is a virtual channel (VC), a bit is a
// port. A group is as many switches as there are lanes; words are as wide as the widest switch has ports.
//
// No flit is stored. A VC is an occupancy, a count of flits left and the bits below; counts are bit-planes
// (plane i holds bit i of the count of VC v of every port). Grant and accept pointers are thermometers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "faultline/simulate/clock.h"

namespace faultline::wormhole::planes {

/// The word of switches of up to 8 ports: a byte type other than char, because the compiler must assume that
/// a store through char may change anything.
using Byte = char8_t;

/// Bits of a port's number, for switches of as many ports as a word has bits.
template <class Word>
inline constexpr std::uint32_t port_bits = std::countr_zero(sizeof(Word) * 8);

/// Bits of a VC's code (code_of()).
inline constexpr std::uint32_t code_bits = 4;

/// Planes that the sum of a count over all VCs has more than the count.
template <std::uint32_t Vcs>
inline constexpr std::uint32_t more_planes = std::countr_zero(Vcs);

/// Where a group's rows are. "Input VC v" is a row with a bit for each input port, "output VC w" one with a
/// bit for each output port.
template <class Word, std::uint32_t Vcs>
class Rows {
 public:
  constexpr Rows(std::uint32_t planes, std::uint32_t ports)
      : planes_(planes),
        to_port_(counts_from + 3 * Vcs * planes),
        parked_(to_port_ + (numbers_ports ? port_bits<Word> : ports) * Vcs),
        grant_from_(parked_ + ports * Vcs),
        accept_from_(grant_from_ + ports),
        single_rows_(accept_from_ + ports),
        count_(single_rows_ + 2 + credit_sum_planes()) {}

  [[nodiscard]] constexpr std::uint32_t flits(std::uint32_t v) const { return counts_from + v * planes_; }
  [[nodiscard]] constexpr std::uint32_t credits(std::uint32_t w) const {
    return counts_from + (Vcs + w) * planes_;
  }
  [[nodiscard]] constexpr std::uint32_t left(std::uint32_t v) const {
    return counts_from + (2 * Vcs + v) * planes_;
  }
  // The output VC that the packet of input VC v has; of those that are idle or waiting, what the last packet
  // had.

  /// Whether the number of its port is kept, as planes, or a row for each port.
  static constexpr bool numbers_ports = sizeof(Word) * 8 * Vcs > 64;
  [[nodiscard]] constexpr std::uint32_t port_number(std::uint32_t v) const {
    static_assert(numbers_ports);
    return to_port_ + v * port_bits<Word>;
  }
  [[nodiscard]] constexpr std::uint32_t to_port(std::uint32_t port, std::uint32_t v) const {
    static_assert(!numbers_ports);
    return to_port_ + port * Vcs + v;
  }
  /// Bit c of the code of its VC; no bit: it has none.
  [[nodiscard]] constexpr std::uint32_t output_code(std::uint32_t c, std::uint32_t v) const {
    return (singles + c) * Vcs + v;
  }
  /// Inputs that serve VC v before those below it: their pointer is not past it.
  [[nodiscard]] constexpr std::uint32_t serve_from(std::uint32_t v) const { return single(0, v); }
  [[nodiscard]] constexpr std::uint32_t idle(std::uint32_t v) const { return single(1, v); }  ///< no packet
  [[nodiscard]] constexpr std::uint32_t waiting(std::uint32_t v) const { return single(2, v); }
  [[nodiscard]] constexpr std::uint32_t asking(std::uint32_t v) const {
    return single(3, v);
  }  ///< not parked
  [[nodiscard]] constexpr std::uint32_t blocked(std::uint32_t v) const {
    return single(4, v);
  }  ///< no credit
  [[nodiscard]] constexpr std::uint32_t allocated(std::uint32_t w) const { return single(5, w); }
  [[nodiscard]] constexpr std::uint32_t has_credit(std::uint32_t w) const { return single(6, w); }
  /// Output VCs that have become free since parked heads were last examined.
  [[nodiscard]] constexpr std::uint32_t freed(std::uint32_t w) const { return single(7, w); }
  /// Credits that come back in this cycle from flits that were thrown away, not sent.
  [[nodiscard]] constexpr std::uint32_t returned(std::uint32_t w) const { return single(8, w); }
  // What a cycle tells the scalar part: output VCs that were free at its beginning, input VCs that sent a
  // flit, output VCs that took one, input VCs with a new front packet, tails that it has to handle.
  [[nodiscard]] constexpr std::uint32_t free(std::uint32_t w) const { return single(9, w); }
  [[nodiscard]] constexpr std::uint32_t served(std::uint32_t v) const { return single(10, v); }
  [[nodiscard]] constexpr std::uint32_t granted(std::uint32_t w) const { return single(11, w); }
  [[nodiscard]] constexpr std::uint32_t fresh(std::uint32_t v) const { return single(12, v); }
  [[nodiscard]] constexpr std::uint32_t tails(std::uint32_t v) const { return single(13, v); }
  /// Input VCs v whose packet has a VC of an output that leads to a terminal; like output_code().
  [[nodiscard]] constexpr std::uint32_t ejects(std::uint32_t v) const { return single(14, v); }
  [[nodiscard]] constexpr std::uint32_t filled(std::uint32_t v) const {
    return single(15, v);
  }  ///< flits(v) is not zero
  /// Input VCs v with waiting heads that need another try only when a VC of output `port` becomes free.
  [[nodiscard]] constexpr std::uint32_t parked(std::uint32_t port, std::uint32_t v) const {
    return parked_ + port * Vcs + v;
  }
  /// Ports whose parked() is not empty, and some whose rows have become empty since a VC was last freed.
  [[nodiscard]] constexpr std::uint32_t parked_under() const { return single_rows_; }
  /// Outputs of which some VC is free.
  [[nodiscard]] constexpr std::uint32_t any_free() const { return single_rows_ + 1; }
  /// The credits of some VCs of an output together (VectorState::summed_vcs), granted ones of this cycle
  /// included.
  [[nodiscard]] constexpr std::uint32_t credit_sum() const { return single_rows_ + 2; }
  [[nodiscard]] constexpr std::uint32_t credit_sum_planes() const { return planes_ + more_planes<Vcs>; }
  /// Inputs from an output's grant pointer on; inputs whose accept pointer is not past an output.
  [[nodiscard]] constexpr std::uint32_t grant_from(std::uint32_t port) const { return grant_from_ + port; }
  [[nodiscard]] constexpr std::uint32_t accept_from(std::uint32_t port) const { return accept_from_ + port; }
  [[nodiscard]] constexpr std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t singles = 16;
  [[nodiscard]] constexpr std::uint32_t single(std::uint32_t which, std::uint32_t v) const {
    return which * Vcs + v;
  }
  static constexpr std::uint32_t counts_from = (singles + code_bits) * Vcs;  ///< where they begin

  std::uint32_t planes_, to_port_, parked_, grant_from_, accept_from_, single_rows_, count_;
};

/// The log has one byte a port and cycle: the low half says which VC left by the output, the high half which
/// VC left the input. Up to 4 VCs a bit each, else the number + 1, up to 15.
[[nodiscard]] constexpr std::uint8_t code_of(std::uint32_t vcs, std::uint32_t vc) {
  return static_cast<std::uint8_t>(vcs <= 4 ? 1U << vc : vc + 1);
}
[[nodiscard]] constexpr bool names(std::uint32_t half, std::uint32_t vcs, std::uint32_t vc) {
  return vcs <= 4 ? (half >> vc & 1) != 0 : half == vc + 1;
}

/// What the lanes of a group read for a port: at most two stretches of the log, each as long as a group,
/// which a permutation combines.
struct Pull {
  std::uint32_t first = 0, second = 0;  ///< offsets within a slot of the log
  Time first_delay = 0, second_delay = 0;
  std::uint64_t open = 0;  ///< bit l: lane l receives something
};

/// What a port receives from switches. Credits from a neighbour come in the bytes of the flits from it if the
/// two take equally long.
struct PortPulls {
  Pull flits, credits;
  bool apart = false;  ///< credits are not in the bytes of the flits
  bool moved = false;  ///< there are bytes that are moved one by one, because no two stretches hold them
};
inline constexpr std::uint32_t kinds_of_pulls = 2;

/// A byte, or eight in a row, moved from an offset within a slot of the log to their place among the group's
/// bytes [port][lane].
struct ByteMove {
  std::uint32_t from = 0, to = 0;
};
/// Moves from one slot; `keep`: the bits of each byte that count.
struct MoveRun {
  Time delay = 0;
  std::uint8_t keep = 0;
  std::uint32_t first = 0, first_single = 0, end = 0;  ///< those before first_single move eight bytes
};
inline constexpr std::uint8_t low_half = 0x0f, high_half = 0xf0;

/// What neighbouring ports of a group receive from terminals, or on their behalf: `line_bytes` bytes of the
/// log, in the order of ports and lanes. A terminal takes everything that it is sent: its credits are the
/// switch's own flits to it.
struct TerminalPull {
  std::uint32_t first_port = 0;
  std::size_t offset = 0;  ///< of the bytes within a slot of the log
  Time delay = 0;
  std::uint64_t open = 0;  ///< bit i: byte i is received
  bool credits = false;    ///< flits otherwise
};
inline constexpr std::uint32_t line_bytes = 64;

/// An input VC of a group that the scalar part has to handle.
struct Event {
  std::uint16_t lane;
  std::uint8_t port, vc;
};

/// What a group's cycle leaves to the scalar part, each list as long as a group has input VCs.
struct Lists {
  Event *asking = nullptr, *fresh = nullptr, *tails = nullptr;
};

/// All that the vector part works on. `lanes` switches a group; arrays are aligned to a vector.
template <class Word>
struct VectorState {
  std::uint32_t groups = 0, lanes = 1, ports = 0, planes = 0;
  Word* rows = nullptr;              ///< [group][row][lane]
  const PortPulls* pulls = nullptr;  ///< [group][port]
  const TerminalPull* terminal_pulls = nullptr;
  const std::uint32_t* first_terminal_pull = nullptr;  ///< [group], and the end of the last one's
  const std::uint8_t* pull_indices = nullptr;          ///< [group][port][kind of pull][index_bytes]
  const ByteMove* moves = nullptr;
  const MoveRun* move_runs = nullptr;
  const std::uint32_t* first_move_run = nullptr;  ///< [group], and the end of the last one's
  std::uint8_t* log = nullptr;  ///< [cycle % slots][group][port][lane], then [sender]: what arrives
  std::size_t slot_bytes = 0;
  std::uint32_t slots = 1;  ///< a power of two, above every delay
  std::uint32_t buffer_flits = 1;
  std::uint32_t first_flits = 1;  ///< that a packet at the front is assumed to have sent
  std::uint32_t iterations = 1;   ///< of the allocation of the crossbar
  bool inputs_first = false;      ///< separable allocation: inputs choose, then outputs
  bool atomic = false;            ///< a VC is free only while its buffer is empty
  std::uint32_t summed_vcs = 0;   ///< bit w: VC w is in credit_sum(); if none is, that is not kept
  bool asks_unrouted =
      false;  ///< fresh packets are not listed: they ask in the next cycle, and are routed then
  bool lists_all_tails = false;     ///< not only those that leave the network
  bool allocates = false;           ///< VCs are allocated by vectors: heads that ask are not listed
  bool alike = false;               ///< with that, every head may take any VC of its ports
  Word* request_rows = nullptr;     ///< with that: [group][row][lane]
  std::uint8_t* returns = nullptr;  ///< [group]: some returned() is set
  Lists lists;                      ///< of the next cycle

  [[nodiscard]] std::uint8_t* log_of(Time cycle) const {
    return log + (static_cast<std::uint32_t>(cycle) & (slots - 1)) * slot_bytes;
  }
  [[nodiscard]] std::size_t log_offset(std::uint32_t group, std::uint32_t port) const {
    return (std::size_t{group} * ports + port) * lanes;
  }
};

/// Bytes of the index of a pull: at least a register's.
[[nodiscard]] constexpr std::uint32_t index_bytes(std::uint32_t lanes) { return lanes < 16 ? 16 : lanes; }

/// What the vector part of a cycle left to the scalar part: the lengths of the lists.
struct Work {
  std::uint32_t asking = 0, fresh = 0, tails = 0;
  bool asks = false;   ///< heads ask that are not listed
  bool sent = false;   ///< flits have left
  bool holds = false;  ///< some buffer had flits
};

/// The vector part of a cycle for one group.
template <class Word>
using Advance = Work (*)(const VectorState<Word>& vectors, std::uint32_t group, Time now);

}  // namespace faultline::wormhole::planes
