// SPDX-License-Identifier: Apache-2.0
// Text as a shell reads it.
#pragma once

#include <string>
#include <string_view>

namespace faultline::app {

/// In single quotes; bash, zsh and fish read "'\''" alike.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text)
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  return result + "'";
}

/// In quotes where it is no plain word.
[[nodiscard]] inline std::string as_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  const bool is_plain = !text.empty() && text.find_first_not_of(plain) == std::string_view::npos;
  return is_plain ? std::string(text) : in_quotes(text);
}

}  // namespace faultline::app
