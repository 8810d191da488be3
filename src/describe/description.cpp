// SPDX-License-Identifier: Apache-2.0
#include "faultline/describe/description.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/commas.h"

namespace faultline {
namespace {

void add_assignment(Description& description, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw Error(description.path, std::string(assignment),
                "parameters are written name=value; within kind:name=value,… a comma that is part of a value "
                "is written \\,");
  const std::string name(assignment.substr(0, equals));
  if (description.find(name) != nullptr)
    throw Error(description.path_of(name), std::string(assignment.substr(equals + 1)),
                "is given twice; give it only once");
  description.fields.emplace_back(
      name, Value{{std::string(assignment.substr(equals + 1))}, false, description.location});
}

/// The inverse of with_commas_escaped(). A single backslash at the end stands for itself.
std::string with_commas_plain(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ',') result.resize(result.size() - (backslashes_before(text, at) + 1) / 2);
    result += text[at];
  }
  result.resize(result.size() - backslashes_before(text, text.size()) / 2);
  return result;
}

/// Up to the next separating comma; the rest begins behind it.
std::string next_part(std::string_view& rest, bool& is_last) {
  const std::size_t end = next_comma(rest, 0);
  is_last = end == rest.size();
  std::string part = with_commas_plain(rest.substr(0, end));
  rest.remove_prefix(is_last ? end : end + 1);
  return part;
}

/// A backslash before each comma, and before each of the backslashes that would be taken for one.
std::string with_commas_escaped(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ',') result.append(backslashes_before(text, at) + 1, '\\');
    result += text[at];
  }
  return result.append(backslashes_before(text, text.size()), '\\');
}

}  // namespace

std::string to_string(const Scalar& scalar) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(std::uint64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
  };
  return std::visit(Writer{}, scalar);
}

std::string to_string(const Value& value) {
  std::string text;
  for (const Scalar& item : value.items) text += (text.empty() ? "" : ",") + to_string(item);
  return text;
}

const Value* Description::find(std::string_view name) const {
  const auto found =
      std::ranges::find(fields, name, [](const auto& field) -> const std::string& { return field.first; });
  return found == fields.end() ? nullptr : &found->second;
}

std::string Description::path_of(std::string_view name) const { return path + "." + std::string(name); }

Description parse_assignments(std::string path, std::string kind, std::span<const std::string> assignments) {
  Description description{.path = std::move(path), .kind = std::move(kind)};
  for (const std::string& assignment : assignments) add_assignment(description, assignment);
  return description;
}

Description parse_compact(std::string path, std::string_view text) {
  const std::size_t colon = text.find(':');
  Description description{.path = std::move(path), .kind = std::string(text.substr(0, colon))};
  if (colon == std::string_view::npos) return description;
  std::string_view rest = text.substr(colon + 1);
  for (bool is_last = false; !is_last;) {
    const std::string part = next_part(rest, is_last);
    if (part.empty())
      throw Error(description.path, std::string(text),
                  "a parameter is missing; write kind:name=value, with commas between parameters");
    add_assignment(description, part);
  }
  return description;
}

std::string to_compact(const Description& description) {
  std::string text = description.kind;
  for (const auto& [name, value] : description.fields) {
    if (value.items.empty()) continue;  // a list that is empty unless it is given
    text += (text.size() == description.kind.size() ? ":" : ",") + name + "=";
    std::string items;
    for (std::size_t i = 0; i < value.items.size(); ++i)
      items += (i == 0 ? "" : "x") + to_string(value.items[i]);  // a comma would end the list
    text += with_commas_escaped(items);
  }
  return text;
}

}  // namespace faultline
