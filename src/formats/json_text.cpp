// SPDX-License-Identifier: Apache-2.0
#include "formats/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "formats/graph_reader.h"

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

std::string json_text(const Scalar& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_string(*text);
  return std::visit([](const auto& item) { return nlohmann::json(item).dump(); }, value);
}

std::optional<GraphAttributes> parse_json_object(std::string_view text) {
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  GraphAttributes members;
  for (const auto& [name, value] : object.items())
    if (value.is_primitive() && !value.is_null())
      members.emplace_back(name,
                           value.is_string() ? Scalar(value.get<std::string>()) : scalar_of(value.dump()));
  return members;
}

}  // namespace faultline::formats
