// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/cut_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace faultline::survival {
namespace {

/// An arc that any of several pieces cuts: one step for each.
void append_series(CutGraph& graph, std::uint32_t from, std::uint32_t to,
                   std::span<const std::uint32_t> pieces) {
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const auto step = static_cast<std::uint32_t>(graph.vertices.size());
    graph.vertices.emplace_back();
    graph.arcs.push_back({from, step, pieces[i]});
    from = step;
  }
  graph.arcs.push_back({from, to, pieces.empty() ? CutGraph::none : pieces.back()});
}

/// The vertices from and to which a connection leads.
using Ends = std::pair<std::uint32_t, std::uint32_t>;

/// Both ways of a connection count as one: a cut is crossed in one direction only.
bool is_one_connection(const std::vector<Ends>& connections) {
  return connections.size() <= 1 ||
         (connections.size() == 2 && connections[0].first == connections[1].second &&
          connections[0].second == connections[1].first);
}

class Builder {
 public:
  explicit Builder(const Subject& subject)
      : topology_(subject.components.topology()),
        components_(subject.components),
        channels_(subject.components, subject.survival),
        graph_{.circuit = Circuit(static_cast<std::uint32_t>(subject.components.count())),
               .pieces = {},
               .vertices = {},
               .arcs = {}} {}

  CutGraph run() && {
    add_vertices();
    std::map<Ends, std::vector<ChannelId>> bundles;
    for (const ChannelId channel : topology_.channels())
      if (const auto [from, to] = ends(channel); from != to) bundles[{from, to}].push_back(channel);
    if (!add_bundles(bundles))
      for (const auto& [ends, channels] : bundles)
        for (const ChannelId channel : channels) add_series(ends, channel);
    graph_.flows_are_bounds = std::ranges::all_of(connections_of_, is_one_connection);
    return std::move(graph_);
  }

 private:
  void add_vertices() {
    graph_.vertices.resize(topology_.switch_count() + topology_.terminal_count());
    for (const TerminalId terminal : topology_.terminals())
      graph_.vertices[CutGraph::vertex(topology_, terminal)].passable = false;
    for (Component component = 0; component < components_.count(); ++component)
      if (const auto vertex = vertex_of(component))
        graph_.vertices[*vertex].piece = piece(graph_.circuit.alive(component), 1, {*vertex, *vertex});
  }

  /// The vertex that a component is, if it is one.
  [[nodiscard]] std::optional<std::uint32_t> vertex_of(Component component) const {
    switch (components_.unit(component)) {
      case FaultUnit::switch_:
        return CutGraph::vertex(SwitchId(components_.member(component)));
      case FaultUnit::terminal:
        return CutGraph::vertex(topology_, TerminalId(components_.member(component)));
      default:
        return std::nullopt;
    }
  }

  [[nodiscard]] Ends ends(ChannelId channel) const {
    const auto vertex = [&](SwitchId at) {
      return at.valid() ? CutGraph::vertex(at) : CutGraph::vertex(topology_, topology_.terminal(channel));
    };
    return {vertex(topology_.source(channel)), vertex(topology_.target(channel))};
  }

  /// The components that take the channel away, except for its ends. A switch that is not an end is among
  /// them where the channel's link has another channel there, without which it does not count.
  [[nodiscard]] std::vector<Component> own_components(ChannelId channel) const {
    const auto [from, to] = ends(channel);
    std::vector<Component> own;
    for (const Component component : channels_.of(channel))
      if (const auto vertex = vertex_of(component); vertex != from && vertex != to) own.push_back(component);
    return own;
  }

  /// The piece of a vertex (from itself to itself) or of a connection.
  std::uint32_t piece(Node gate, std::uint32_t weight, Ends ends) {
    const auto [entry, is_new] =
        number_of_.try_emplace(gate, static_cast<std::uint32_t>(graph_.pieces.size()));
    if (is_new) {
      graph_.pieces.push_back({gate, weight});
      connections_of_.emplace_back();
    }
    connections_of_[entry->second].push_back(ends);
    return entry->second;
  }

  /// All channels from one vertex to another as one piece. False, and no arc is added, if pieces would share
  /// components.
  bool add_bundles(const std::map<Ends, std::vector<ChannelId>>& bundles) {
    std::vector<Node> piece_of(components_.count(), Circuit::zero);
    for (Component component = 0; component < components_.count(); ++component)
      if (vertex_of(component)) piece_of[component] = graph_.circuit.alive(component);
    for (const auto& [ends, channels] : bundles) {
      std::vector<Node> cables;
      std::vector<Component> held;
      for (const ChannelId channel : channels) {
        std::vector<Node> needed;
        for (const Component component : own_components(channel)) {
          needed.push_back(graph_.circuit.alive(component));
          held.push_back(component);
        }
        cables.push_back(graph_.circuit.all(needed));
      }
      const Node gate = graph_.circuit.any(cables);
      for (const Component component : held)
        if (piece_of[component] != Circuit::zero && piece_of[component] != gate) return false;
      for (const Component component : held) piece_of[component] = gate;
      gates_.push_back({ends, gate, static_cast<std::uint32_t>(channels.size())});
      std::ranges::sort(held);
      if (gate != Circuit::one && std::ranges::adjacent_find(held) != held.end()) return false;
    }
    for (const Bundle& bundle : gates_)
      graph_.arcs.push_back(
          {bundle.ends.first, bundle.ends.second,
           bundle.gate == Circuit::one ? CutGraph::none : piece(bundle.gate, bundle.channels, bundle.ends)});
    return true;
  }

  void add_series(Ends ends, ChannelId channel) {
    std::vector<std::uint32_t> pieces;
    for (const Component component : own_components(channel))
      pieces.push_back(piece(graph_.circuit.alive(component), 1, ends));
    append_series(graph_, ends.first, ends.second, pieces);
  }

  struct Bundle {
    Ends ends;
    Node gate;
    std::uint32_t channels;
  };

  const Topology& topology_;
  const FaultComponents& components_;
  ComponentsOfChannel channels_;
  CutGraph graph_;
  std::map<Node, std::uint32_t> number_of_;        // pieces by gate
  std::vector<std::vector<Ends>> connections_of_;  // by piece
  std::vector<Bundle> gates_;
};

}  // namespace

bool CutGraph::is_two_way() const {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> known;
  for (const Arc& arc : arcs) known.emplace(arc.from, arc.to, arc.piece);
  return std::ranges::all_of(arcs, [&](const Arc& arc) {
    return known.contains({arc.to, arc.from, arc.piece});
  });
}

CutGraph cut_graph(const Subject& subject) { return Builder(subject).run(); }

CutGraph cut_graph(const PairGraph& pair) {
  CutGraph graph{.circuit = Circuit(static_cast<std::uint32_t>(pair.components.size())),
                 .pieces = {},
                 .vertices = std::vector<CutGraph::Vertex>(pair.nodes),
                 .arcs = {}};
  for (std::uint32_t component = 0; component < pair.components.size(); ++component)
    graph.pieces.push_back({graph.circuit.alive(component), 1});
  std::vector<std::vector<Ends>> connections_of(pair.components.size());
  for (const PairGraph::Edge& edge : pair.edges) {
    const auto components = pair.components_of(edge);
    for (const std::uint32_t component : components)
      connections_of[component].emplace_back(edge.from, edge.to);
    append_series(graph, edge.from, edge.to, components);
  }
  graph.flows_are_bounds = std::ranges::all_of(connections_of, is_one_connection);
  return graph;
}

}  // namespace faultline::survival
