// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace faultline::formats {

/// `text` in quotes, as JSON writes it; U+FFFD stands for what is not UTF-8.
[[nodiscard]] std::string json_string(std::string_view text);

/// The quoted text that `text` begins with, quotes included; up to its end where the second quote is missing.
[[nodiscard]] std::string_view leading_json_string(std::string_view text);

/// The inverse of json_string(); absent where `text` is not a string of JSON.
[[nodiscard]] std::optional<std::string> parse_json_string(std::string_view text);

}  // namespace faultline::formats
