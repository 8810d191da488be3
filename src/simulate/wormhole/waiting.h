// SPDX-License-Identifier: Apache-2.0
// Deadlock, found exactly: virtual channels that wait for each other and for nobody else.
#pragma once

#include <cstdint>
#include <vector>

namespace faultline::wormhole {

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

}  // namespace faultline::wormhole
