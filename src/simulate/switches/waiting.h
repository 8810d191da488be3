// SPDX-License-Identifier: Apache-2.0
// Deadlock, found exactly: virtual channels that wait for each other and for nobody else.
#pragma once

#include <cstdint>
#include <vector>

namespace faultline {

using VcIndex = std::uint32_t;  ///< channel * VCs + vc
inline constexpr VcIndex no_vc = ~VcIndex{0};

/// A VC whose front packet cannot move now. It will move once any of `for_any` has moved.
struct Waiting {
  VcIndex vc = no_vc;
  std::vector<VcIndex> for_any;
};

/// The VCs of a cycle in which each waits for the next, or none. What can move, and what waits for such, is
/// taken away until nothing changes (Dally & Towles, section 14.1); what is left waits for ever. Linear in
/// the number of waits.
[[nodiscard]] std::vector<VcIndex> find_deadlock(const std::vector<Waiting>& waiting);

/// A VC as an engine knows it.
struct VcState {
  enum class Front : std::uint8_t {
    none,     ///< or about to move for a reason of its own
    waiting,  ///< a packet that wants one of `wants`
    active,   ///< a packet that has `output`
  };
  Front front = Front::none;
  bool empty = true, full = false;  ///< the buffer
  bool free = false;                ///< may be allocated
  VcIndex output = no_vc;
  VcIndex holder = no_vc;  ///< the VC whose packet has this one, if any
  std::vector<VcIndex> wants;
};

/// The same, for all VCs of a network.
[[nodiscard]] std::vector<VcIndex> find_deadlock(const std::vector<VcState>& vcs);

/// Whether an engine looks for a deadlock at the end of a bin: when nothing was delivered in it, and from
/// time to time.
[[nodiscard]] bool looks_for_deadlock(std::size_t bin, std::uint64_t delivered_in_bin);

}  // namespace faultline
