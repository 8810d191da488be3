// SPDX-License-Identifier: Apache-2.0
// Strong 32-bit identifiers: a switch can never be passed where a channel is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ranges>

namespace faultline {

template <class Tag>
class Id {
 public:
  /// The id of nothing; `valid()` is false.
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  [[nodiscard]] constexpr std::size_t index() const { return value_; }
  [[nodiscard]] constexpr bool valid() const { return value_ != none; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_ = none;
};

using TerminalId = Id<struct TerminalTag>;
using SwitchId = Id<struct SwitchTag>;
using ChannelId = Id<struct ChannelTag>;
using LinkId = Id<struct LinkTag>;

/// The ids first, first + 1, … end - 1, in order.
template <class AnyId>
[[nodiscard]] auto id_range(std::size_t first, std::size_t end) {
  return std::views::iota(first, end) | std::views::transform([](std::size_t i) { return AnyId(i); });
}

}  // namespace faultline

template <class Tag>
struct std::hash<faultline::Id<Tag>> {
  std::size_t operator()(faultline::Id<Tag> id) const noexcept { return id.index(); }
};
