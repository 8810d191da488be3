// SPDX-License-Identifier: Apache-2.0
// Commas separate the fields of a compact description, and the items of a value. One that is part of a value
// has a backslash before it; so has a backslash before a comma, or at the end of a value.
#pragma once

#include <cstddef>
#include <string_view>

namespace faultline {

/// How many backslashes stand directly before `end`.
[[nodiscard]] inline std::size_t backslashes_before(std::string_view text, std::size_t end) {
  std::size_t count = 0;
  while (count < end && text[end - count - 1] == '\\') ++count;
  return count;
}

/// The next separating comma from `start` on, where a part begins; the end of the text if there is none. Each
/// two backslashes before a comma stand for one that is part of the text.
[[nodiscard]] inline std::size_t next_comma(std::string_view text, std::size_t start) {
  for (std::size_t at = start; at < text.size(); ++at)
    if (text[at] == ',' && backslashes_before(text.substr(start), at - start) % 2 == 0) return at;
  return text.size();
}

}  // namespace faultline
