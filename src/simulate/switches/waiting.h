// SPDX-License-Identifier: Apache-2.0
// Exact deadlock detection: virtual channels that wait only for each other.
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

/// The VCs of a cycle in which each waits for the next, or none. Repeatedly removes what can move, and what
/// waits for such (Dally & Towles, section 14.1); the rest waits for ever. Linear in the number of waits.
[[nodiscard]] std::vector<VcIndex> find_deadlock(const std::vector<Waiting>& waiting);

/// A VC as seen by an engine.
struct VcState {
  enum class Front : std::uint8_t {
    none,     ///< or about to move for another reason
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

/// Whether an engine searches for a deadlock at the end of a bin: if nothing was delivered in it, and from
/// time to time.
[[nodiscard]] bool looks_for_deadlock(std::size_t bin, std::uint64_t delivered_in_bin);

}  // namespace faultline
