// SPDX-License-Identifier: Apache-2.0
// Strong 32-bit identifiers: a switch can never be passed where a channel is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>

#pragma GCC visibility push(default)
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
  friend constexpr auto operator<=>(Id, Id) = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs

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
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = AnyId;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using reference = AnyId;
    using pointer = void;
    constexpr Iterator() = default;
    constexpr explicit Iterator(std::size_t index) : index_(index) {}
    constexpr AnyId operator*() const { return AnyId(index_); }
    constexpr Iterator& operator++() {
      ++index_;
      return *this;
    }
    constexpr Iterator operator++(int) { return Iterator(index_++); }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::size_t index_ = 0;
  };

  constexpr IdRange(std::size_t first, std::size_t end) : first_(first), end_(end) {}
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(end_); }
  [[nodiscard]] constexpr std::size_t size() const { return end_ - first_; }

 private:
  std::size_t first_, end_;
};

template <class AnyId>
[[nodiscard]] constexpr IdRange<AnyId> id_range(std::size_t first, std::size_t end) {
  return {first, end};
}

}  // namespace faultline
#pragma GCC visibility pop

template <class Tag>
struct std::hash<faultline::Id<Tag>> {
  std::size_t operator()(faultline::Id<Tag> id) const noexcept { return id.index(); }
};
