// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/minimum_cut.h"

#include <algorithm>
#include <map>

#include "base/sort_unique.h"
#include "resilience/cuts/flow.h"
#include "resilience/cuts/hitting_set.h"

namespace faultline::survival {
namespace {

/// The edges that each component removes, without components that remove no more than another one does.
class Roles {
 public:
  explicit Roles(const PairGraph& graph) : graph_(graph), edges_of_(graph.components.size()) {
    for (std::uint32_t edge = 0; edge < graph.edges.size(); ++edge)
      for (const std::uint32_t component : graph.components_of(graph.edges[edge]))
        edges_of_[component].push_back(edge);
    find_useful();
  }

  [[nodiscard]] bool useful(std::uint32_t component) const { return useful_[component]; }
  [[nodiscard]] const std::vector<std::uint32_t>& edges_of(std::uint32_t component) const {
    return edges_of_[component];
  }

  /// Those that remove the same edges as one of `members` are members as well.
  void add_equal(std::vector<std::uint32_t>& members) const {
    const std::vector<std::uint32_t> found = members;
    for (const std::uint32_t member : found)
      for (const std::uint32_t other : graph_.components_of(graph_.edges[edges_of_[member].front()]))
        if (!useful_[other] && edges_of_[other] == edges_of_[member]) members.push_back(other);
    std::ranges::sort(members);
  }

  /// Both edges of a two-way connection count as one: a cut is crossed in one direction only.
  [[nodiscard]] bool is_one_edge(std::uint32_t component) const {
    const auto& edges = edges_of_[component];
    const auto& first = graph_.edges[edges.front()];
    const auto& last = graph_.edges[edges.back()];
    return edges.size() == 1 || (edges.size() == 2 && first.from == last.to && first.to == last.from);
  }

  /// The node all of whose edges (and no others) the component takes away.
  [[nodiscard]] std::optional<std::uint32_t> as_node(std::uint32_t component,
                                                     const std::vector<std::uint32_t>& degree) const {
    const auto& edges = edges_of_[component];
    for (const std::uint32_t node : {graph_.edges[edges.front()].from, graph_.edges[edges.front()].to}) {
      const auto touches = [&](std::uint32_t edge) {
        return graph_.edges[edge].from == node || graph_.edges[edge].to == node;
      };
      if (degree[node] == edges.size() && std::ranges::all_of(edges, touches)) return node;
    }
    return std::nullopt;
  }

 private:
  void find_useful() {
    useful_.assign(graph_.components.size(), true);
    for (std::uint32_t component = 0; component < graph_.components.size(); ++component)
      for (const std::uint32_t other : graph_.components_of(graph_.edges[edges_of_[component].front()])) {
        if (other == component || !useful_[other] ||
            !std::ranges::includes(edges_of_[other], edges_of_[component]))
          continue;
        useful_[component] = false;
        break;
      }
  }

  const PairGraph& graph_;
  std::vector<std::vector<std::uint32_t>> edges_of_;
  std::vector<bool> useful_;
};

std::vector<std::uint32_t> degrees(const PairGraph& graph) {
  std::vector<std::uint32_t> degree(graph.nodes);
  for (const PairGraph::Edge& edge : graph.edges) {
    ++degree[edge.from];
    if (edge.to != edge.from) ++degree[edge.to];
  }
  return degree;
}

/// A flow network in which every arc that may be cut is one component.
class CutNetwork {
 public:
  CutNetwork(const PairGraph& graph, const Roles& roles)
      : graph_(graph), flow_(2 * graph.nodes), component_of_node_(graph.nodes, none) {
    add_nodes(roles);
    for (std::uint32_t node = 0; node < graph.nodes; ++node)
      add(2 * node, 2 * node + 1, component_of_node_[node]);
    for (const PairGraph::Edge& edge : graph.edges)
      add(2 * edge.from + 1, 2 * edge.to, component_of_edge(edge, roles));
  }

  /// Whether a minimum cut of the network is one of the components.
  [[nodiscard]] bool faithful() const { return faithful_; }

  MinimumCut run(std::uint32_t limit) {
    const std::uint32_t size = flow_.run(2 * PairGraph::source, 2 * PairGraph::sink + 1, limit);
    if (size == Flow::unlimited) return {.status = MinimumCut::Status::never, .size = 0, .components = {}};
    if (size > limit) return {.status = MinimumCut::Status::above, .size = size, .components = {}};
    MinimumCut cut;
    for (std::uint32_t arc = 0; arc < components_.size(); ++arc)
      if (flow_.in_cut(2 * arc)) cut.components.push_back(components_[arc]);
    sort_unique(cut.components);
    cut.size = static_cast<std::uint32_t>(cut.components.size());
    return cut;
  }

  /// After run: the components of all minimum cuts.
  [[nodiscard]] std::vector<std::uint32_t> members() const {
    const std::vector<std::uint32_t> parts = flow_.residual_parts();
    std::vector<std::uint32_t> result;
    for (std::uint32_t arc = 0; arc < components_.size(); ++arc)
      if (flow_.in_some_cut(2 * arc, parts)) result.push_back(components_[arc]);
    sort_unique(result);
    return result;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void add_nodes(const Roles& roles) {
    const std::vector<std::uint32_t> degree = degrees(graph_);
    is_node_.assign(graph_.components.size(), false);
    for (std::uint32_t component = 0; component < graph_.components.size(); ++component) {
      if (!roles.useful(component) || roles.is_one_edge(component)) continue;
      if (const auto node = roles.as_node(component, degree)) {
        component_of_node_[*node] = component;
        is_node_[component] = true;
      } else {
        faithful_ = false;
      }
    }
  }

  std::uint32_t component_of_edge(const PairGraph::Edge& edge, const Roles& roles) {
    std::uint32_t result = none;
    for (const std::uint32_t component : graph_.components_of(edge)) {
      if (!roles.useful(component) || is_node_[component]) continue;
      if (result != none) faithful_ = false;
      result = component;
    }
    return result;
  }

  void add(std::uint32_t from, std::uint32_t to, std::uint32_t component) {
    flow_.add_arc(from, to, component == none ? Flow::unlimited : 1);
    components_.push_back(component);
  }

  const PairGraph& graph_;
  Flow flow_;
  std::vector<std::uint32_t> components_;  // by arc
  std::vector<std::uint32_t> component_of_node_;
  std::vector<bool> is_node_;
  bool faithful_ = true;
};

}  // namespace

MinimumCut minimum_cut(const PairGraph& graph, std::uint32_t limit, std::uint64_t search_steps) {
  const Roles roles(graph);
  CutNetwork network(graph, roles);
  if (network.faithful()) {
    MinimumCut cut = network.run(limit);
    if (cut.status == MinimumCut::Status::exact) {
      std::vector<std::uint32_t> members = network.members();
      roles.add_equal(members);
      cut.members = std::move(members);
    }
    return cut;
  }
  // Cutting every arc separately costs at least as much as cutting components: an upper bound.
  MinimumCut upper = network.run(Flow::unlimited - 1);
  if (upper.status == MinimumCut::Status::never) return upper;
  return smallest_hitting_set(graph, upper, limit, search_steps);
}

}  // namespace faultline::survival
