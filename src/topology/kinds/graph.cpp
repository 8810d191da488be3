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
          "GraphML, node-link JSON (networkx, d3), a list of edges, or an anynet file of BookSim");
    field("format", &Graph::format, one_of({"auto", "graphml", "json", "edges", "anynet"}),
          "of the file; auto: what its beginning looks like");
    field("terminals_per_switch", &Graph::terminals_per_switch, at_least(1),
          "on every switch of a file without terminals (default: 1)");
    field("metres_per_cycle", &Graph::metres_per_cycle, between(1e-9, 1e9),
          "how far a flit flies in a cycle, for cables with a length and no cycles (default: they take one)");
  }
  static std::vector<Graph> samples() { return {}; }  // tests/data/topology/graph

  [[nodiscard]] std::uint64_t terminal_total() const {
    return terminals_of(parsed(), terminals_per_switch.value_or(1));
  }

  [[nodiscard]] Topology build(const std::string& name) const {
    const formats::GraphFile graph = parsed();
    if (terminals_per_switch && terminals_of(graph, 0) > 0)
      throw Error("topology.terminals_per_switch", std::to_string(*terminals_per_switch),
                  "is for files without terminals; " + file.path + " names its own");
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
                               : format == "edges"  ? GraphFormat::edges
                               : format == "anynet" ? GraphFormat::anynet
                                                    : formats::format_of(file, "topology.file");
    return formats::parse_graph(file, chosen, "topology.file");
  }
};

}  // namespace

extern constinit const TopologyKind graph = topology_kind<Graph>(
    "graph", "any network of one's own, as a graph file (topology ... --export writes them)",
    "GraphML, node-link JSON, edge lists, BookSim anynet");

}  // namespace faultline::topologies
