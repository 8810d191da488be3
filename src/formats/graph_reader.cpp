// SPDX-License-Identifier: Apache-2.0
#include "formats/graph_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.h"
#include "base/utf8.h"
#include "faultline/formats/limits.h"

namespace faultline::formats {
namespace {

constexpr std::uint32_t max_nodes = std::uint32_t{1} << 21;  // as many switches as terminals are allowed
constexpr std::uint32_t max_number = (std::uint32_t{1} << 31) - 1;

constexpr std::array<std::string_view, 4> members_of_node{"kind", "name", "column", "row"};
constexpr std::array<std::string_view, 5> members_of_edge{"source_port", "target_port", "link", "cycles",
                                                          "length"};

std::optional<double> number_in(const Scalar& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* large = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*large);
  if (const auto* text = std::get_if<std::string>(&value)) return number_of<double>(*text);
  return std::nullopt;
}

/// The last value of a name counts.
void put(GraphAttributes& attributes, std::string_view name, Scalar value) {
  const auto found =
      std::ranges::find(attributes, name, [](const auto& one) { return std::string_view(one.first); });
  if (found == attributes.end())
    attributes.emplace_back(name, std::move(value));
  else
    found->second = std::move(value);
}

}  // namespace

GraphReader::GraphReader(const InputFile& file, std::string field)
    : text_(without_byte_order_mark(*file.content)), path_(file.path), field_(std::move(field)) {}

std::uint32_t GraphReader::add_node(std::string id, int line) {
  if (id.empty()) refuse(line, id, "must be the id of a switch or terminal, at least one character");
  const auto index = static_cast<std::uint32_t>(graph_.nodes.size());
  const auto [entry, is_new] = indices_.emplace(id, index);
  if (!is_new)
    refuse(line, id,
           fmt::format("is the id of another node, in line {}; every id must be there once",
                       graph_.nodes[entry->second].line));
  if (index == max_nodes) refuse(line, id, fmt::format("must be among the first {} nodes", max_nodes));
  graph_.nodes.push_back(
      {.id = std::move(id), .name = {}, .column = {}, .row = {}, .attributes = {}, .line = line});
  return index;
}

std::uint32_t GraphReader::node(const std::string& id, int line) {
  const auto found = indices_.find(id);
  return found == indices_.end() ? add_node(id, line) : found->second;
}

GraphEdge& GraphReader::add_edge(GraphEdge edge) { return graph_.edges.emplace_back(std::move(edge)); }

GraphEdge& GraphReader::add_edge(std::string from, std::string to, bool directed, int line) {
  open_.push_back({static_cast<std::uint32_t>(graph_.edges.size()), std::move(from), std::move(to)});
  GraphEdge& edge = graph_.edges.emplace_back();
  edge.directed = directed;
  edge.line = line;
  return edge;
}

std::uint32_t GraphReader::index_of(const std::string& id, int line) const {
  const auto found = indices_.find(id);
  if (found == indices_.end()) refuse(line, id, "must be the id of a node of this file");
  return found->second;
}

GraphFile GraphReader::finish() && {
  for (const Ends& ends : open_) {
    GraphEdge& edge = graph_.edges[ends.edge];
    edge.from = index_of(ends.from, edge.line);
    edge.to = index_of(ends.to, edge.line);
  }
  return std::move(graph_);
}

void GraphReader::require_utf8() const {
  const std::size_t valid = std::min(utf8_length(text_), text_.find('\0'));
  if (valid == text_.size()) return;
  const auto line = 1 + static_cast<int>(std::ranges::count(text_.substr(0, valid), '\n'));
  refuse(line, text_.substr(valid, 1),
         text_[valid] == '\0' ? "must not be in a text file" : "is not UTF-8; the whole file must be");
}

void GraphReader::set(GraphNode& node, std::string_view name, Scalar value, int line) const {
  require_name(name, line);
  if (name == "kind") {
    const std::string type = to_string(value);
    if (type != "switch" && type != "terminal")
      refuse(line, type, fmt::format("must be switch or terminal: the kind of node {}", node.id));
    node.type = type == "switch" ? GraphNode::Type::switch_ : GraphNode::Type::terminal;
  } else if (name == "name") {
    node.name = to_string(value);
  } else if (name == "column") {
    node.column = integer(value, name, 0, max_number, line);
  } else if (name == "row") {
    node.row = integer(value, name, 0, max_number, line);
  } else if (name != "id") {
    put(node.attributes, name, std::move(value));
  }
}

void GraphReader::set(GraphEdge& edge, std::string_view name, Scalar value, int line) const {
  require_name(name, line);
  if (name == "source_port") {
    edge.source_port = integer(value, name, 0, max_number, line);
  } else if (name == "target_port") {
    edge.target_port = integer(value, name, 0, max_number, line);
  } else if (name == "link") {
    edge.link = integer(value, name, 0, max_number - 1, line);
  } else if (name == "cycles") {
    edge.cycles = integer(value, name, 1, max_flight_cycles, line);
  } else if (name == "length") {
    const auto metres = number_in(value);
    if (!metres || !(*metres >= 0) || std::isinf(*metres))
      refuse(line, to_string(value), "must be the length of a cable in metres, at least 0");
    edge.length = *metres;
  } else if (name != "source" && name != "target" && name != "key") {
    put(edge.attributes, name, std::move(value));
  }
}

std::uint32_t GraphReader::integer(const Scalar& value, std::string_view name, std::uint32_t least,
                                   std::uint32_t most, int line) const {
  const auto number = number_in(value);
  if (!number || *number != std::floor(*number) || *number < least || *number > most)
    refuse(line, to_string(value), fmt::format("must be an integer from {} to {}: {}", least, most, name));
  return static_cast<std::uint32_t>(*number);
}

void GraphReader::require_name(std::string_view name, int line) const {
  if (name.empty()) refuse(line, name, "must be the name of an attribute, at least one character");
}

void GraphReader::require_no_member_of_node(std::string_view name, std::string_view found, int line) const {
  require_no_member(members_of_node, name, found, line);
}

void GraphReader::require_no_member_of_edge(std::string_view name, std::string_view found, int line) const {
  require_no_member(members_of_edge, name, found, line);
}

void GraphReader::require_no_member(std::span<const std::string_view> members, std::string_view name,
                                    std::string_view found, int line) const {
  if (std::ranges::find(members, name) != members.end())
    refuse(line, found, fmt::format("must be a number, a text, true or false: {}", name));
}

void GraphReader::refuse_repeated(std::string_view name, int line) const {
  refuse(line, name, "is given twice; every attribute must be given at most once");
}

void GraphReader::refuse(int line, std::string_view value, const std::string& allowed) const {
  throw Error(field_, std::string(value), allowed, {path_, line});
}

Scalar scalar_of(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = number_of<std::int64_t>(text)) return *integer;
  if (const auto large = number_of<std::uint64_t>(text)) return integer_scalar(*large);
  if (const auto real = finite_number_of(text)) return *real;
  return std::string(text);
}

}  // namespace faultline::formats
