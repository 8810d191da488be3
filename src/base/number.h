// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace faultline {

/// The whole text as a number; absent where it is not one, or does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Likewise; absent for an infinity and what is not a number, too.
[[nodiscard]] inline std::optional<double> finite_number_of(std::string_view text) {
  const auto value = number_of<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Absent for what is not a whole number, and beyond 2^53, where not every whole number is a double.
[[nodiscard]] inline std::optional<std::int64_t> whole_of(double value) {
  if (!(std::abs(value) < 0x1p53) || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace faultline
