// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/graph.h"
#include "faultline/topology/labellings.h"

namespace faultline {
namespace {

using formats::GraphEdge;
using formats::GraphFile;
using formats::GraphNode;

void add_nodes(const Topology& topology, const GraphLabelling* labelling, GraphFile& graph) {
  for (const SwitchId at : topology.switches()) {
    const Position position = topology.position(at);
    graph.nodes.push_back(
        {.id = "s" + std::to_string(at.value()),
         .type = GraphNode::Type::switch_,
         .name = topology.name(at),
         .column = position.column,
         .row = position.row,
         .attributes = labelling ? labelling->switches[at.index()] : formats::GraphAttributes{}});
  }
  for (const TerminalId terminal : topology.terminals())
    graph.nodes.push_back(
        {.id = "t" + std::to_string(terminal.value()),
         .type = GraphNode::Type::terminal,
         .name = topology.name(terminal),
         .column = {},
         .row = {},
         .attributes = labelling ? labelling->terminals[terminal.index()] : formats::GraphAttributes{}});
}

std::optional<std::uint32_t> terminal_port(const Topology& topology, ChannelId channel) {
  if (const auto* graph = topology.find_labelling<GraphLabelling>())
    return graph->channels[channel.index()].terminal_port;
  if (const auto* fabric = topology.find_labelling<FabricLabelling>())
    return fabric->terminal_ports[topology.terminal(channel).index()].port;
  return std::nullopt;
}

GraphEdge edge_of(const Topology& topology, const GraphLabelling* labelling, ChannelId channel) {
  const auto terminal = [&] {
    return static_cast<std::uint32_t>(topology.switch_count()) + topology.terminal(channel).value();
  };
  const bool injects = topology.role(channel) == ChannelRole::injection;
  const bool ejects = topology.role(channel) == ChannelRole::ejection;
  GraphEdge edge;
  edge.directed = true;
  edge.from = injects ? terminal() : topology.source(channel).value();
  edge.to = ejects ? terminal() : topology.target(channel).value();
  edge.source_port = injects ? terminal_port(topology, channel) : topology.output_port(channel);
  edge.target_port = ejects ? terminal_port(topology, channel) : topology.input_port(channel);
  if (topology.channels(topology.link(channel)).size() > 1) edge.link = topology.link(channel).value();
  if (topology.fly_cycles(channel) != 1) edge.cycles = topology.fly_cycles(channel);
  if (labelling) {
    edge.length = labelling->channels[channel.index()].length;
    edge.attributes = labelling->channels[channel.index()].attributes;
  }
  return edge;
}

}  // namespace

formats::GraphFile graph_of(const Topology& topology) {
  const auto* const labelling = topology.find_labelling<GraphLabelling>();
  GraphFile graph;
  add_nodes(topology, labelling, graph);
  for (const LinkId link : topology.links())
    for (const ChannelId channel : topology.channels(link))
      graph.edges.push_back(edge_of(topology, labelling, channel));
  return graph;
}

}  // namespace faultline
