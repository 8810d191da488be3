// SPDX-License-Identifier: Apache-2.0
#include "formats/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/utf8.h"
#include "formats/graph_reader.h"

namespace faultline::formats {
namespace {

/// Translates a Python literal to JSON. Anything else, JSON included, is left as it is.
class PythonLiteral {
 public:
  explicit PythonLiteral(std::string_view text) : rest_(text) {}

  std::string as_json() && {
    std::string json;
    while (!rest_.empty()) {
      const char first = rest_.front();
      if (first == '\'' || first == '"') {
        json += json_string(string());
      } else if (is_letter(first)) {
        json += word();
      } else {
        rest_.remove_prefix(1);
        if (first == ',' && is_last_of_tuple()) continue;
        json += first == '(' ? '[' : first == ')' ? ']' : first;
      }
    }
    return json;
  }

 private:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  /// The content of the string at the beginning, or of as much as there is of it.
  std::string string() {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    std::string content;
    while (!rest_.empty() && rest_.front() != quote) content += rest_.front() == '\\' ? escaped() : take(1);
    (void)take(1);
    return content;
  }
  std::string escaped() {
    const std::string given = take(2);
    const char what = given.back();
    if (what == 'x' || what == 'u') {
      const std::string code = take(what == 'x' ? 2 : 4);
      return parse_json_string((what == 'x' ? "\"\\u00" : "\"\\u") + code + '"').value_or(given + code);
    }
    constexpr std::string_view names = "ntr\\'\"/", meant = "\n\t\r\\'\"/";
    const std::size_t at = names.find(what);
    return at == std::string_view::npos ? given : std::string(1, meant[at]);
  }
  std::string word() {
    std::size_t length = 1;
    while (length < rest_.size() && is_letter(rest_[length])) ++length;
    const std::string given = take(length);
    if (given == "True") return "true";
    if (given == "False") return "false";
    return given == "None" || given == "nan" ? "null" : given;
  }
  [[nodiscard]] bool is_last_of_tuple() const {
    const std::size_t next = rest_.find_first_not_of(' ');
    return next != std::string_view::npos && rest_[next] == ')';
  }
  std::string take(std::size_t length) {
    std::string taken(rest_.substr(0, length));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

}  // namespace

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

std::optional<ParsedObject> parse_object(std::string_view text) {
  using nlohmann::json;
  ParsedObject parsed;
  std::set<std::string> names;
  const auto note = [&](int depth, json::parse_event_t event, const json& name) {
    if (depth == 1 && event == json::parse_event_t::key && !names.insert(name.get<std::string>()).second)
      parsed.repeated = name.get<std::string>();
    return true;
  };
  const json object = json::parse(PythonLiteral(text).as_json(), note, false);
  if (!object.is_object()) return std::nullopt;
  for (const auto& [name, value] : object.items())
    if (value.is_string())
      parsed.members.emplace_back(name, value.get<std::string>());
    else if (value.is_primitive() && !value.is_null())
      parsed.members.emplace_back(name, scalar_of(value.dump()));
    else
      parsed.others.push_back(name);
  return parsed;
}

}  // namespace faultline::formats
