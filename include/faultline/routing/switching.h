// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

/// How packets hold channels: cut-through needs buffer space for a whole packet before it takes a channel,
/// wormhole for one flit, so that a blocked packet stretches over several channels.
enum class Switching : std::uint8_t { cut_through, wormhole };

/// "cut-through", "wormhole".
[[nodiscard]] constexpr std::string_view to_string(Switching switching) {
  return switching == Switching::cut_through ? "cut-through" : "wormhole";
}

}  // namespace faultline
#pragma GCC visibility pop
