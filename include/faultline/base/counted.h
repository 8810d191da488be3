// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

/// "faults", "switches", "addresses", "entries", of a noun whose plural is regular.
[[nodiscard]] inline std::string plural(std::string_view noun) {
  const bool has_y = noun.ends_with("ry") || noun.ends_with("cy");
  std::string text(has_y ? noun.substr(0, noun.size() - 1) : noun);
  return text += has_y ? "ies" : noun.ends_with("ch") || noun.ends_with("ss") ? "es" : "s";
}

/// "1 fault", "3 faults".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + (count == 1 ? std::string(noun) : plural(noun));
}

/// "the only set", "all 3 sets".
[[nodiscard]] inline std::string all_counted(std::uint64_t count, std::string_view noun) {
  return count == 1 ? "the only " + std::string(noun) : "all " + counted(count, noun);
}

/// The word that follows a count, most often a verb: `one` after 1 ("1 loses", "1 is"), else `more` ("0
/// lose", "3 are").
[[nodiscard]] constexpr std::string_view agreeing(std::uint64_t count, std::string_view one,
                                                  std::string_view more) {
  return count == 1 ? one : more;
}

}  // namespace faultline
#pragma GCC visibility pop
