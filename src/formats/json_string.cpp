// SPDX-License-Identifier: Apache-2.0
#include "formats/json_string.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace faultline::formats {

std::string json_string(std::string_view text) { return nlohmann::json(utf8(text)).dump(); }

std::string_view leading_json_string(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && text[length] != '"') length += text[length] == '\\' ? 2 : 1;
  return text.substr(0, std::min(length + 1, text.size()));
}

std::optional<std::string> parse_json_string(std::string_view text) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_string()) return std::nullopt;
  return parsed.get<std::string>();
}

}  // namespace faultline::formats
