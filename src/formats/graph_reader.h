// SPDX-License-Identifier: Apache-2.0
// What the readers of all graph formats share: nodes by id, members by name, errors by line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "faultline/formats/graph_file.h"

namespace faultline::formats {

class GraphReader {
 public:
  GraphReader(const InputFile& file, std::string field);

  /// Without a byte order mark.
  [[nodiscard]] std::string_view text() const { return text_; }

  /// Refuses an id that was used before.
  std::uint32_t add_node(std::string id, int line);
  /// The node of this id; a new one if there was none.
  std::uint32_t node(const std::string& id, int line);
  [[nodiscard]] GraphNode& at(std::uint32_t node) { return graph_.nodes[node]; }
  [[nodiscard]] bool has(const std::string& id) const { return indices_.contains(id); }

  GraphEdge& add_edge(GraphEdge edge);
  /// The same for ids that may not have been read yet; finish() refuses those that never are.
  GraphEdge& add_edge(std::string from, std::string to, bool directed, int line);

  void require_utf8() const;

  /// Sets the member of this name, or an attribute if there is none; names that formats write in another way
  /// (id, source, target, and networkx's key) are left out.
  void set(GraphNode& node, std::string_view name, Scalar value, int line) const;
  void set(GraphEdge& edge, std::string_view name, Scalar value, int line) const;

  [[nodiscard]] GraphFile finish() &&;

  /// Refuses what is neither a number, a text, true nor false where set() gives the name a meaning. `found`
  /// says what it is.
  void require_no_member_of_node(std::string_view name, std::string_view found, int line) const;
  void require_no_member_of_edge(std::string_view name, std::string_view found, int line) const;
  [[noreturn]] void refuse_repeated(std::string_view name, int line) const;
  [[noreturn]] void refuse(int line, std::string_view value, const std::string& allowed) const;

 private:
  [[nodiscard]] std::uint32_t integer(const Scalar& value, std::string_view name, std::uint32_t least,
                                      std::uint32_t most, int line) const;
  void require_no_member(std::span<const std::string_view> members, std::string_view name,
                         std::string_view found, int line) const;
  void require_name(std::string_view name, int line) const;
  [[nodiscard]] std::uint32_t index_of(const std::string& id, int line) const;

  struct Ends {
    std::uint32_t edge;
    std::string from, to;
  };

  std::string_view text_;
  std::string path_, field_;
  GraphFile graph_;
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::vector<Ends> open_;  // edges whose ends are known by id only
};

/// visit(name, value) for every member that is set, and every attribute.
template <class Visit>
void for_each_attribute(const GraphNode& node, Visit visit) {
  if (node.type != GraphNode::Type::unsaid)
    visit("kind", Scalar(std::string(node.type == GraphNode::Type::terminal ? "terminal" : "switch")));
  if (!node.name.empty()) visit("name", Scalar(node.name));
  if (node.column) visit("column", integer_scalar(*node.column));
  if (node.row) visit("row", integer_scalar(*node.row));
  for (const auto& [name, value] : node.attributes) visit(std::string_view(name), value);
}
template <class Visit>
void for_each_attribute(const GraphEdge& edge, Visit visit) {
  const auto number = [&](const char* name, const std::optional<std::uint32_t>& value) {
    if (value) visit(name, integer_scalar(*value));
  };
  number("source_port", edge.source_port);
  number("target_port", edge.target_port);
  number("link", edge.link);
  number("cycles", edge.cycles);
  if (edge.length) visit("length", Scalar(*edge.length));
  for (const auto& [name, value] : edge.attributes) visit(std::string_view(name), value);
}

/// true, false, an integer, a finite number, or the text itself.
[[nodiscard]] Scalar scalar_of(std::string_view text);

/// Every cable as its two channels.
[[nodiscard]] GraphFile with_channels(const GraphFile& graph);
/// Every two consecutive channels that form a cable, as that cable.
[[nodiscard]] GraphFile with_cables(const GraphFile& graph);

[[nodiscard]] GraphFile parse_graphml(GraphReader reader);
[[nodiscard]] GraphFile parse_node_link(GraphReader reader);
[[nodiscard]] GraphFile parse_edge_list(GraphReader reader);
[[nodiscard]] GraphFile parse_anynet(GraphReader reader);
[[nodiscard]] GraphFile parse_dot(GraphReader reader);

}  // namespace faultline::formats
