// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/graph.h"

#include "faultline/topology/kind.h"

namespace faultline::topologies {
namespace {

struct Graph {
  InputFile file;
  std::string format = "auto";
  std::optional<std::uint32_t> terminals_per_switch;
  std::optional<double> metres_per_cycle;

  static void fields(auto& field) {
    field("file", &Graph::file, file_path().required(),
          "GraphML, node-link JSON (networkx, d3), DOT (Graphviz), a list of edges, or an anynet file of "
          "BookSim");
    field("format", &Graph::format, one_of({"auto", "graphml", "json", "dot", "edges", "anynet"}),
          "format of the file; auto: recognised by its beginning");
    field("terminals_per_switch", &Graph::terminals_per_switch, at_least(1),
          "terminals on each switch, for a file without terminals (default: 1)");
    field("metres_per_cycle", &Graph::metres_per_cycle, between(1e-9, 1e9),
          "metres that a flit travels in a cycle, for cables with a length and no cycles (default: these "
          "take one cycle)");
  }
  static std::vector<Graph> samples() { return {}; }  // tests/data/topology/graph

  [[nodiscard]] Topology build(const std::string& name) const {
    const formats::GraphFile graph = parsed();
    if (terminals_per_switch && terminals_of(graph, 0) > 0)
      throw Error("topology.terminals_per_switch", std::to_string(*terminals_per_switch),
                  "needs a file without terminals; " + file.path + " has its own");
    return network_of(graph, name,
                      {.path = file.path,
                       .field = "topology.file",
                       .terminals_per_switch = terminals_per_switch.value_or(1),
                       .metres_per_cycle = metres_per_cycle});
  }

 private:
  [[nodiscard]] formats::GraphFile parsed() const {
    using formats::GraphFormat;
    const GraphFormat chosen = format == "graphml"  ? GraphFormat::graphml
                               : format == "json"   ? GraphFormat::json
                               : format == "dot"    ? GraphFormat::dot
                               : format == "edges"  ? GraphFormat::edges
                               : format == "anynet" ? GraphFormat::anynet
                                                    : formats::format_of(file);
    return formats::parse_graph(file, chosen, "topology.file");
  }
};

}  // namespace

extern constinit const TopologyKind graph =
    topology_kind<Graph>("graph", "any network, from a graph file (topology ... --export writes one)",
                         "GraphML, node-link JSON, DOT, edge lists, BookSim anynet");

}  // namespace faultline::topologies
