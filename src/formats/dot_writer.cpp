// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "formats/dot.h"
#include "formats/graph_reader.h"
#include "formats/json_text.h"

namespace faultline::formats {
namespace {

std::string id_text(std::string_view id) {
  constexpr std::array keywords{"node", "edge", "graph", "digraph", "subgraph", "strict"};
  const bool is_plain = !id.empty() && !is_digit(id.front()) && std::ranges::all_of(id, [](char c) {
    return (is_letter(c) && static_cast<unsigned char>(c) < 0x80) || is_digit(c);
  }) && std::ranges::none_of(keywords, [&](std::string_view keyword) { return is_keyword(id, keyword); });
  return is_plain ? std::string(id) : json_string(id);
}

/// The shortest text that gives the same number, without an exponent, which DOT does not have.
std::string number_text(double value) {
  std::array<char, 400> digits;
  const auto [end, failure] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  const std::string text(digits.data(), end);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string value_text(const Scalar& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_string(*text);
  if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
  return to_string(value);
}

/// An attribute list that begins with `first`.
template <class Part>
std::string attributes_text(const Part& part, std::string first) {
  std::string text = std::move(first);
  const auto add = [&](std::string_view name, const Scalar& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", id_text(name), value_text(value));
  };
  const GraphAttributes drawing = drawing_of(part);
  for_each_attribute(part, [&](std::string_view name, const Scalar& value) {
    const bool is_direction = std::is_same_v<Part, GraphEdge> && name == "dir";
    if (!is_direction && !is_drawn(drawing, name, value)) add(name, value);
  });
  for (const auto& [name, value] : drawing)
    if (std::ranges::none_of(part.attributes, [&](const auto& own) {
          return own.first == name && !is_drawn(drawing, name, own.second);
        }))
      add(name, value);
  return text.empty() ? text : " [" + text + "]";
}

}  // namespace

std::string dot_text(const GraphFile& given) {
  const GraphFile graph = with_cables(given);
  std::string text = "digraph {\n  edge [dir=both]\n";
  for (const GraphNode& node : graph.nodes)
    text += fmt::format("  {}{}\n", id_text(node.id), attributes_text(node, {}));
  for (const GraphEdge& edge : graph.edges)
    text +=
        fmt::format("  {} -> {}{}\n", id_text(graph.nodes[edge.from].id), id_text(graph.nodes[edge.to].id),
                    attributes_text(edge, edge.directed ? "dir=forward" : ""));
  return text + "}\n";
}

}  // namespace faultline::formats
