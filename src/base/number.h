// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
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

}  // namespace faultline
