// SPDX-License-Identifier: Apache-2.0
// Networks as other programs write graphs: GraphML, node-link JSON (networkx, d3), DOT (Graphviz), edge
// lists, and BookSim's anynet. One plain structure for all of them; src/formats/GRAPH.md describes the files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/describe/description.h"

#pragma GCC visibility push(default)
namespace faultline::formats {

/// Attributes of a file beyond the members below, by name.
using GraphAttributes = std::vector<std::pair<std::string, Scalar>>;

/// A switch or a terminal.
struct GraphNode {
  enum class Type : std::uint8_t { unsaid, switch_, terminal };

  std::string id;
  Type type = Type::unsaid;                  ///< the attribute "kind"
  std::string name;                          ///< empty where none is given
  std::optional<std::uint32_t> column, row;  ///< where a drawing places it
  GraphAttributes attributes;
  int line = 0;  ///< in the file; 0 if it was not read from one
};

/// A cable or, where it is directed, one channel of a cable.
struct GraphEdge {
  std::uint32_t from = 0, to = 0;  ///< indices of GraphFile::nodes
  bool directed = false;
  std::optional<std::uint32_t> source_port, target_port;
  std::optional<std::uint32_t> link;    ///< edges of one number fail together; absent: a link of its own
  std::optional<std::uint32_t> cycles;  ///< flight time
  std::optional<double> length;         ///< metres
  GraphAttributes attributes;
  int line = 0;
};

struct GraphFile {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

enum class GraphFormat : std::uint8_t { graphml, json, edges, anynet, dot };

/// By its beginning: '<' is GraphML, '{' JSON, the word `router` or `node` anynet, `graph`, `digraph` or
/// `strict` with a brace and the comments of C are DOT, and everything else is an edge list.
[[nodiscard]] GraphFormat format_of(const InputFile& file);

/// Throws Error(field, value, what is allowed, line) for anything that the format does not allow, an edge to
/// a missing node, and an invalid member (kind, a port, …).
[[nodiscard]] GraphFile parse_graph(const InputFile& file, GraphFormat format, const std::string& field);

/// The text from which parse_graph reads the same nodes and edges, in the same order. GraphML and JSON are
/// written as directed graphs, because many programs refuse a file that mixes directed edges with others: a
/// cable becomes two edges of one link. In the others, two edges that are the channels of one cable become
/// one. Text that is not UTF-8 is replaced by U+FFFD, and so are control characters in GraphML.
[[nodiscard]] std::string graphml_text(const GraphFile& graph);
[[nodiscard]] std::string node_link_text(const GraphFile& graph);
[[nodiscard]] std::string edge_list_text(const GraphFile& graph);
/// With shapes and labels for Graphviz, which parse_graph leaves out. An edge's own attribute `dir` is not
/// written: in DOT it is the direction.
[[nodiscard]] std::string dot_text(const GraphFile& graph);

}  // namespace faultline::formats
#pragma GCC visibility pop
