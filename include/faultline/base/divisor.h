// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace faultline {

/// Divides by a number known only at run time as fast as by a constant: by one multiplication (Granlund &
/// Montgomery, PLDI 1994).
class Divisor {
 public:
  /// `value` from 1 to 2^31.
  explicit constexpr Divisor(std::uint32_t value)
      : value_(value), reciprocal_((std::uint64_t{1} << 63) / value + 1) {}

  /// Exact: reciprocal_ * value_ exceeds 2^63 by at most value_, so the quotient before rounding down is too
  /// large by at most dividend / 2^63 < 1 / value_.
  [[nodiscard]] constexpr std::uint32_t quotient(std::uint32_t dividend) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>(Wide{reciprocal_} * dividend >> 63);
  }
  [[nodiscard]] constexpr std::uint32_t remainder(std::uint32_t dividend) const {
    return dividend - quotient(dividend) * value_;
  }
  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_;
  std::uint64_t reciprocal_;
};

static_assert(Divisor(1).quotient(~std::uint32_t{0}) == ~std::uint32_t{0});
static_assert(Divisor(7).quotient(~std::uint32_t{0}) == ~std::uint32_t{0} / 7);
static_assert(Divisor(std::uint32_t{1} << 31).quotient(~std::uint32_t{0}) == 1);

}  // namespace faultline
#pragma GCC visibility pop
