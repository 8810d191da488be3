// SPDX-License-Identifier: Apache-2.0
// What the reader and the writer of DOT (graphviz.org/doc/info/lang.html) share.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "faultline/formats/graph_file.h"

namespace faultline::formats {

/// Attributes that only a drawing needs, as the writer adds them.
[[nodiscard]] inline GraphAttributes drawing_of(const GraphNode& node) {
  GraphAttributes drawing{{"shape", std::string(node.type == GraphNode::Type::terminal ? "plain" : "box")}};
  if (!node.name.empty()) drawing.emplace_back("label", node.name);
  return drawing;
}
[[nodiscard]] inline GraphAttributes drawing_of(const GraphEdge& edge) {
  GraphAttributes drawing;
  if (edge.source_port) drawing.emplace_back("taillabel", std::to_string(*edge.source_port));
  if (edge.target_port) drawing.emplace_back("headlabel", std::to_string(*edge.target_port));
  return drawing;
}

/// Whether an attribute says no more than the drawing, with quotes or without; nor does \N, which Graphviz
/// writes for a node's id as its label. These are not kept.
[[nodiscard]] inline bool is_drawn(const GraphAttributes& drawing, std::string_view name,
                                   const Scalar& value) {
  if (name == "label" && to_string(value) == "\\N") return true;
  return std::ranges::any_of(drawing, [&](const auto& drawn) {
    return drawn.first == name && to_string(drawn.second) == to_string(value);
  });
}

/// Characters of an ID that is not quoted, in ASCII or not; it does not begin with a digit.
[[nodiscard]] inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
[[nodiscard]] inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Of DOT's keywords, which are case-independent; `keyword` in small letters.
[[nodiscard]] inline bool is_keyword(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace faultline::formats
