// SPDX-License-Identifier: Apache-2.0
// The vector part of the wormhole model, compiled for several processors. All give the same results.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>

#include "simulate/lanes/fabric.h"

namespace faultline::wormhole::lanes {

/// A network's shape as the kernels know it: words of 32 bits for up to 8 ports, else of 64 for up to 16.
struct Shape {
  std::uint32_t ports = 0;   ///< at least as many as the widest switch has
  std::uint32_t planes = 0;  ///< counts are below 2^planes
  [[nodiscard]] constexpr bool wide() const { return ports > 8; }
};
inline constexpr Shape shapes[] = {{5, 5}, {7, 5}, {8, 5}, {16, 5}, {5, 8}, {7, 8}, {8, 8}, {16, 8}};

struct Kernel {
  const char* name;
  bool (*available)();
  std::uint32_t narrow_lanes, wide_lanes;  ///< switches a group, with words of 32 and of 64 bits
  Advance<std::uint32_t> (*narrow)(Shape shape);
  Advance<std::uint64_t> (*wide)(Shape shape);
};

/// Those that this processor runs, the fastest first; never empty.
[[nodiscard]] std::span<const Kernel* const> kernels();

}  // namespace faultline::wormhole::lanes
