// SPDX-License-Identifier: Apache-2.0
// Flexible interval routing (paper 5, sections 3 and 4): the registers of a switch, and what its hardware
// computes from them. A mask has a bit for each output virtual channel, port * vcs + vc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The registers of one output virtual channel (Figures 3.3, 3.5 and 4.1). Addresses are coordinates side by
/// side, dimension 0 in the lowest bits.
struct FirRegisters {
  std::uint32_t first = 0,
                last = 0;       ///< FI and LI: the interval, cyclic, of the address bits that `mask` selects
  std::uint32_t mask = 0;       ///< MR
  std::uint64_t preferred = 0;  ///< RRR: virtual channels that are taken before this one
  /// BR: input virtual channels that need room for one packet, not two. All, unless this channel is of a ring
  /// that keeps a bubble.
  std::uint64_t one_buffer = 0;
};

struct FirSwitch {
  std::uint32_t vcs = 1;
  std::uint32_t address = 0;  ///< address of the switch
  std::uint32_t address_bits = 0;
  std::vector<std::string> ports;      ///< "X+", "Y+", …; unconnected ones included
  std::vector<FirRegisters> channels;  ///< by port, then virtual channel
  bool fault_tolerant = false;
  std::uint64_t escape = 0;    ///< Escape Register, the H bits: channels E1
  std::uint64_t adaptive = 0;  ///< Adaptive Register
};

/// A bit for each of the virtual channels of a switch, at most 64.
[[nodiscard]] constexpr std::uint64_t fir_all_channels(std::size_t count) {
  return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count);
}

/// What a switch reads of a packet's header (Figure 4.2); without the fault-tolerant hardware, the
/// destination alone.
struct FirHeader {
  std::uint32_t destination = 0;     ///< address of where the current leg ends
  bool to_intermediate = false;      ///< I
  bool adaptive = true;              ///< A
  bool misrouting = false;           ///< MisEn
  std::uint32_t misroute_ports = 0;  ///< DirMis: one bit
};

/// AR: the virtual channels whose Allowed bit is set (Figures 3.1, 4.3 to 4.6).
[[nodiscard]] std::uint64_t fir_allowed(const FirSwitch& at, const FirHeader& header);

/// RR (Figure 3.2): the allowed ones that no other allowed one precedes.
[[nodiscard]] std::uint64_t fir_routed(const FirSwitch& at, std::uint64_t allowed);

/// Those of `routed` that have space for a packet from input virtual channel `input` (Figure 3.4): the masks
/// say which have space for one packet, and for two. A terminal, which has no bit (`input` 0), needs space
/// for two on the channels of rings that keep a bubble.
[[nodiscard]] std::uint64_t fir_with_room(const FirSwitch& at, std::uint64_t routed, std::uint64_t input,
                                          std::uint64_t room_for_one, std::uint64_t room_for_two);

/// A relation that runs the register machine.
class FirConfigured {
 public:
  FirConfigured() = default;
  FirConfigured(const FirConfigured&) = delete;
  FirConfigured& operator=(const FirConfigured&) = delete;
  virtual ~FirConfigured() = default;
  [[nodiscard]] virtual const FirSwitch& fir_switch(SwitchId at) const = 0;
};

/// A table of the registers as in Figures 3.3, 3.5 and 4.1.
[[nodiscard]] std::string fir_text(const FirSwitch& at, const std::string& name);

/// A line of hexadecimal digits for each virtual channel, as $readmemh of Verilog reads it: FI, LI, MR, RRR,
/// BR and, with the fault-tolerant hardware, H and Adapt, from the highest bit on.
[[nodiscard]] std::string fir_memory_image(const FirSwitch& at);

/// Memory of a switch in bits (paper 5, section 5): `addresses` is the number of switches, or of whatever
/// else identifies a destination, in `address_bits`: log2 of that number in the paper, and more where the
/// coordinates that they are made of do not fill their bits.
struct FirMemory {
  std::uint64_t fir = 0;     ///< registers FI, LI, MR, RRR, BR
  std::uint64_t ft_fir = 0;  ///< and the Adaptive and Escape registers
  std::uint64_t table = 0;   ///< a forwarding table
};
[[nodiscard]] FirMemory fir_memory(std::uint64_t addresses, std::uint32_t address_bits, std::uint32_t ports,
                                   std::uint32_t vcs, std::uint32_t options);

/// The number of addresses from which FT-FIR takes less memory than a table, with as few bits as number them.
/// Absent where a table takes none: a switch with one channel has no choice to store.
[[nodiscard]] std::optional<std::uint64_t> fir_crossover(std::uint32_t ports, std::uint32_t vcs,
                                                         std::uint32_t options);

}  // namespace faultline
#pragma GCC visibility pop
