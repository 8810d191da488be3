// SPDX-License-Identifier: Apache-2.0
// Lines of a text, one after the other.
#pragma once

#include <algorithm>
#include <string_view>

namespace faultline {

/// Removes the first line of `rest` and returns it without its line feed, which the last line may lack.
[[nodiscard]] inline std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

}  // namespace faultline
