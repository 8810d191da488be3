// SPDX-License-Identifier: Apache-2.0
// What switches and terminals are called that were not given a name.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/number.h"

namespace faultline {

inline constexpr std::string_view a_switch = "switch", a_terminal = "terminal";

/// "switch 3"
[[nodiscard]] inline std::string default_name(std::string_view kind, std::uint64_t number) {
  return fmt::format("{} {}", kind, number);
}

/// The number of the one of that kind that has this name by default.
[[nodiscard]] inline std::optional<std::uint64_t> number_in(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind) || name.size() <= kind.size()) return {};
  const auto number = number_of<std::uint64_t>(name.substr(kind.size() + 1));
  return number && name == default_name(kind, *number) ? number : std::nullopt;
}

}  // namespace faultline
