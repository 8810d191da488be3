// SPDX-License-Identifier: Apache-2.0
// Graph files of every format, as their beginning says.
#include "faultline/topology/graph.h"

#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

using formats::GraphFile;
using formats::GraphFormat;

InputFile input(std::string text) { return {"file", std::make_shared<const std::string>(std::move(text))}; }

GraphFile again(const std::string& text, GraphFormat format) {
  return formats::parse_graph(input(text), format, "again");
}

/// As a network with a routing, and back.
void build(const GraphFile& graph) {
  constexpr std::size_t max_nodes = 64, max_edges = 256;
  if (graph.nodes.size() > max_nodes || graph.edges.size() > max_edges) return;
  const auto topology = std::make_shared<const Topology>(
      network_of(graph, "graph", {.path = "file", .field = "graph", .metres_per_cycle = 1.0}));
  const std::string text = formats::edge_list_text(graph_of(*topology));
  const Topology second =
      network_of(again(text, GraphFormat::edges), "again", {.path = "again", .field = "again"});
  if (formats::edge_list_text(graph_of(second)) != text)
    defect("a network is not read back as it was written");
  const RelationPtr relation =
      build_relation(topology, FaultSet(*topology), parse_compact("routing", "shortest-path"));
  (void)enumerate_states(*relation, TerminalId(0));
}

void read(std::string_view bytes) {
  const InputFile file = input(std::string(bytes));
  const GraphFile graph = formats::parse_graph(file, formats::format_of(file), "graph");
  const std::string edges = formats::edge_list_text(graph), json = formats::node_link_text(graph),
                    dot = formats::dot_text(graph);
  if (formats::edge_list_text(again(edges, GraphFormat::edges)) != edges ||
      formats::dot_text(again(dot, GraphFormat::dot)) != dot ||
      formats::node_link_text(again(json, GraphFormat::json)) != json)
    defect("a graph is not read back as it was written");
  if (again(formats::graphml_text(graph), GraphFormat::graphml).nodes.size() != graph.nodes.size())
    defect("a graph lost nodes");
  for (const formats::GraphEdge& edge : graph.edges) canary(edge.length == 77.0);
  build(graph);
}

}  // namespace

extern constinit const Target graph{"graph", [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
