// SPDX-License-Identifier: Apache-2.0
#include "faultline/describe/description.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline {
namespace {

void add_assignment(Description& description, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw Error(description.path, std::string(assignment), "parameters are written name=value");
  const std::string name(assignment.substr(0, equals));
  if (description.find(name) != nullptr)
    throw Error(description.path_of(name), std::string(assignment.substr(equals + 1)),
                "is given twice; give it once");
  description.fields.emplace_back(
      name, Value{{std::string(assignment.substr(equals + 1))}, false, description.place});
}

}  // namespace

std::string to_text(const Scalar& scalar) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
  };
  return std::visit(Writer{}, scalar);
}

std::string to_text(const Value& value) {
  std::string text;
  for (const Scalar& item : value.items) text += (text.empty() ? "" : ",") + to_text(item);
  return text;
}

const Value* Description::find(std::string_view name) const {
  const auto found =
      std::ranges::find(fields, name, [](const auto& field) -> const std::string& { return field.first; });
  return found == fields.end() ? nullptr : &found->second;
}

std::string Description::path_of(std::string_view name) const { return path + "." + std::string(name); }

Description parse_assignments(std::string path, std::string kind, std::span<const std::string> assignments) {
  Description description{std::move(path), std::move(kind), {}, {}};
  for (const std::string& assignment : assignments) add_assignment(description, assignment);
  return description;
}

Description parse_compact(std::string path, std::string_view text) {
  const std::size_t colon = text.find(':');
  Description description{std::move(path), std::string(text.substr(0, colon)), {}, {}};
  if (colon == std::string_view::npos) return description;
  for (std::string_view rest = text.substr(colon + 1); !rest.empty();) {
    const std::size_t comma = rest.find(',');
    add_assignment(description, rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return description;
}

std::string to_compact(const Description& description) {
  std::string text = description.kind;
  for (const auto& [name, value] : description.fields) {
    text += (text.size() == description.kind.size() ? ":" : ",") + name + "=";
    for (std::size_t i = 0; i < value.items.size(); ++i)  // a comma would end the list
      text += (i == 0 ? "" : "x") + to_text(value.items[i]);
  }
  return text;
}

}  // namespace faultline
