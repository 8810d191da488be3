// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace faultline {

/// The first `count` virtual channels, of at most 32, as RouteOption::vcs has them.
[[nodiscard]] constexpr std::uint32_t first_vcs(std::uint32_t count) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
}

}  // namespace faultline
