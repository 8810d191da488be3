// SPDX-License-Identifier: Apache-2.0
// JSON within formats of lines, kept apart because its library takes long to compile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/formats/graph_file.h"

namespace faultline::formats {

/// `text` in quotes, as JSON writes it; U+FFFD stands for what is not UTF-8.
[[nodiscard]] std::string json_string(std::string_view text);

/// The quoted text that `text` begins with, quotes included; up to its end where the second quote is missing.
[[nodiscard]] std::string_view leading_json_string(std::string_view text);

/// The inverse of json_string(); absent where `text` is not a string of JSON.
[[nodiscard]] std::optional<std::string> parse_json_string(std::string_view text);

/// A number, true, false or json_string().
[[nodiscard]] std::string json_text(const Scalar& value);

struct ParsedObject {
  GraphAttributes members;              ///< that are numbers, texts, true or false
  std::vector<std::string> others;      ///< names of the other ones
  std::optional<std::string> repeated;  ///< a name that is there more than once
};

/// Absent where `text` is not an object. It may be written as in Python:
/// {'optical': True, "owner": 'it\'s', 'at': (1, 2), 'weight': nan}.
[[nodiscard]] std::optional<ParsedObject> parse_object(std::string_view text);

}  // namespace faultline::formats
