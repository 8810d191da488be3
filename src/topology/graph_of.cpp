// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <tuple>
#include <vector>

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

/// Channels in an order from which network_of numbers channels and links as they are: it numbers the channels
/// of each role in the order of the edges, and links by their first edges, those with a network channel
/// first.
class EdgeOrder {
 public:
  explicit EdgeOrder(const Topology& topology)
      : topology_(topology),
        next_{0, topology.network_channel_count(),
              topology.network_channel_count() + topology.injection_channel_count()},
        end_{next_[1], next_[2], topology.channel_count()},
        seen_(topology.link_count()),
        unseen_{0, topology.network_link_count()} {}

  std::vector<ChannelId> channels() && {
    std::vector<ChannelId> order;
    while (order.size() < topology_.channel_count()) {
      const std::size_t role = next_role();
      order.emplace_back(next_[role]++);
      last_ = topology_.link(order.back());
      seen_[last_.index()] = true;
    }
    return order;
  }

 private:
  /// Of the next channels of each role: one of the link that was begun, so that a cable may be one edge, or
  /// of the first link that may come now. Where none may, links cannot keep their numbers, but channels do.
  std::size_t next_role() {
    std::optional<std::size_t> best;
    const auto rank = [&](std::size_t role) {
      const LinkId link = topology_.link(ChannelId(next_[role]));
      return std::tuple(!may_come(link), link != last_, link);
    };
    for (std::size_t role = 0; role < next_.size(); ++role)
      if (next_[role] != end_[role] && (!best || rank(role) < rank(*best))) best = role;
    return *best;
  }

  bool may_come(LinkId link) {
    std::size_t& first = unseen_[link.index() < topology_.network_link_count() ? 0 : 1];
    while (first < seen_.size() && seen_[first]) ++first;
    return seen_[link.index()] || link.index() == first;
  }

  const Topology& topology_;
  std::array<std::size_t, 3> next_, end_;  // channels, by role
  std::vector<bool> seen_;                 // by link
  std::array<std::size_t, 2> unseen_;      // the first such link with a network channel, and without
  LinkId last_;
};

}  // namespace

formats::GraphFile graph_of(const Topology& topology) {
  const auto* const labelling = topology.find_labelling<GraphLabelling>();
  GraphFile graph;
  add_nodes(topology, labelling, graph);
  for (const ChannelId channel : EdgeOrder(topology).channels())
    graph.edges.push_back(edge_of(topology, labelling, channel));
  return graph;
}

}  // namespace faultline
