// SPDX-License-Identifier: Apache-2.0
#include "cost/bisection.h"

#include <algorithm>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "cost/switch_distances.h"
#include "faultline/cost/cost.h"
#include "faultline/topology/grid.h"
#include "faultline/topology/labellings.h"
#include "faultline/topology/mirrored_tree.h"

namespace faultline {
namespace {

/// The topology as a flow network: vertices are the switches, each terminal twice (sending, receiving),
/// source and sink.
class HalvesFlow {
 public:
  explicit HalvesFlow(const Topology& topology) : topology_(topology) {
    for (const ChannelId channel : topology.channels()) add_edge(tail(channel), head(channel), 1);
    for (const TerminalId terminal : topology.terminals()) {
      add_edge(source(), sending(terminal), unlimited);
      add_edge(receiving(terminal), sink(), unlimited);
    }
    sort_by_tail();
    graph_ = Graph(boost::edges_are_sorted, ends_.begin(), ends_.end(), sink() + 1);
    std::vector<Graph::edge_descriptor> edges;
    for (auto [edge, end] = boost::edges(graph_); edge != end; ++edge) edges.push_back(*edge);
    for (const std::size_t reverse : reverse_) reverse_edges_.push_back(edges[reverse]);
  }

  /// From the terminals that `sends` to all others.
  template <class Sends>
  std::uint64_t maximum_flow(Sends sends) {
    std::vector<int> capacity = capacities_;
    for (std::size_t edge = 0; edge < ends_.size(); ++edge) {
      const auto [from, to] = ends_[edge];
      if (from == source() && !sends(terminal_of(to))) capacity[edge] = 0;
      if (to == sink() && sends(terminal_of(from))) capacity[edge] = 0;
    }
    std::vector<int> residual(capacity.size());
    std::vector<Graph::edge_descriptor> predecessor(sink() + 1);
    std::vector<boost::default_color_type> color(sink() + 1);
    std::vector<long> distance(sink() + 1);
    const auto by_edge = [&](auto& values) {
      return boost::make_iterator_property_map(values.begin(), get(boost::edge_index, graph_));
    };
    const auto by_vertex = [&](auto& values) {
      return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, graph_));
    };
    return static_cast<std::uint64_t>(boost::boykov_kolmogorov_max_flow(
        graph_, by_edge(capacity), by_edge(residual), by_edge(reverse_edges_), by_vertex(predecessor),
        by_vertex(color), by_vertex(distance), get(boost::vertex_index, graph_), source(), sink()));
  }

 private:
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  static constexpr int unlimited = 1 << 20;

  [[nodiscard]] std::size_t sending(TerminalId terminal) const {
    return topology_.switch_count() + 2 * terminal.index();
  }
  [[nodiscard]] std::size_t receiving(TerminalId terminal) const { return sending(terminal) + 1; }
  [[nodiscard]] TerminalId terminal_of(std::size_t vertex) const {
    return TerminalId((vertex - topology_.switch_count()) / 2);
  }
  [[nodiscard]] std::size_t source() const {
    return topology_.switch_count() + 2 * topology_.terminal_count();
  }
  [[nodiscard]] std::size_t sink() const { return source() + 1; }
  [[nodiscard]] std::size_t tail(ChannelId channel) const {
    return topology_.source(channel).valid() ? topology_.source(channel).index()
                                             : sending(topology_.terminal(channel));
  }
  [[nodiscard]] std::size_t head(ChannelId channel) const {
    return topology_.target(channel).valid() ? topology_.target(channel).index()
                                             : receiving(topology_.terminal(channel));
  }

  /// Every edge is followed by its reverse, of capacity 0 (until sort_by_tail).
  void add_edge(std::size_t from, std::size_t to, int capacity) {
    ends_.emplace_back(from, to);
    ends_.emplace_back(to, from);
    capacities_.push_back(capacity);
    capacities_.push_back(0);
  }

  void sort_by_tail() {
    std::vector<std::size_t> order(ends_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t edge) { return ends_[edge].first; });
    std::vector<std::size_t> rank(order.size());
    for (std::size_t position = 0; position < order.size(); ++position) rank[order[position]] = position;
    std::vector<std::pair<std::size_t, std::size_t>> ends;
    std::vector<int> capacities;
    for (const std::size_t edge : order) {
      ends.push_back(ends_[edge]);
      capacities.push_back(capacities_[edge]);
      reverse_.push_back(rank[edge ^ 1U]);
    }
    ends_ = std::move(ends);
    capacities_ = std::move(capacities);
  }

  const Topology& topology_;
  Graph graph_;
  std::vector<std::pair<std::size_t, std::size_t>> ends_;
  std::vector<int> capacities_;
  std::vector<std::size_t> reverse_;
  std::vector<Graph::edge_descriptor> reverse_edges_;
};

/// Half of a sequence of terminals; whether each terminal is in the first one.
std::vector<bool> first_half(const std::vector<TerminalId>& order) {
  std::vector<bool> is_first(order.size());
  for (std::size_t i = 0; i < order.size() / 2; ++i) is_first[order[i].index()] = true;
  return is_first;
}

/// Terminals by their coordinates, that in `first` before the others, the largest radix of which is next.
std::vector<TerminalId> along(const Topology& topology, const CartesianLabelling& grid, std::uint32_t first) {
  std::vector<std::uint32_t> dimensions(grid.dimensions());
  std::iota(dimensions.begin(), dimensions.end(), 0U);
  std::ranges::stable_sort(dimensions, {}, [&](std::uint32_t dimension) {
    return std::pair(dimension != first, ~grid.radix(dimension));
  });
  std::vector<TerminalId> order(topology.terminals().begin(), topology.terminals().end());
  std::ranges::stable_sort(order, [&](TerminalId a, TerminalId b) {
    const SwitchId one = grid.home(a), other = grid.home(b);
    const auto differs = std::ranges::find_if(dimensions, [&](std::uint32_t dimension) {
      return grid.coordinate(one, dimension) != grid.coordinate(other, dimension);
    });
    return differs != dimensions.end() && grid.coordinate(one, *differs) < grid.coordinate(other, *differs);
  });
  return order;
}

/// Whether a terminal is in the half that is nearest to `centre`.
std::vector<bool> nearest_half(const Topology& topology, TerminalId centre) {
  std::vector<SwitchId> starts;
  for (const ChannelId channel : topology.injection(centre)) starts.push_back(topology.target(channel));
  const std::vector<std::uint32_t> distance = switch_distances(topology, std::move(starts));
  const auto to_terminal = [&](TerminalId terminal) {
    std::uint32_t nearest = unreached;
    for (const ChannelId channel : topology.ejection(terminal))
      nearest = std::min(nearest, distance[topology.source(channel).index()]);
    return nearest;
  };
  std::vector<TerminalId> order(topology.terminals().begin(), topology.terminals().end());
  std::ranges::stable_sort(order, {}, to_terminal);
  return first_half(order);
}

/// The terminals whose leading digit, that of their switches on the lowest level, is in the lower half of its
/// values: where the radix is odd, one value more of group 0 than of group 1.
std::vector<bool> lower_digits(const Topology& topology, const MirroredTreeLabelling& tree) {
  const std::uint32_t k = tree.digits.k(), below = tree.digits.switches_per_stage() / k;
  std::vector<bool> half(topology.terminal_count());
  for (const TerminalId terminal : topology.terminals()) {
    const std::uint32_t digit = tree.address(terminal) / below % k;
    half[terminal.index()] = digit < (k + 1 - tree.group(terminal)) / 2;
  }
  return half;
}

}  // namespace

bool is_bisection_exact(const Topology& topology) {
  if (topology.find_labelling<TreeLabelling>() != nullptr) return true;
  const auto* const grid = topology.find_labelling<CartesianLabelling>();
  if (grid == nullptr) return false;
  std::uint32_t largest = 0;
  for (std::uint32_t dimension = 0; dimension < grid->dimensions(); ++dimension)
    largest = std::max(largest, grid->radix(dimension));
  return largest % 2 == 0;
}

std::uint64_t bisection_channels(const Topology& topology, StopFlag stop) {
  HalvesFlow flow(topology);
  const std::size_t terminals = topology.terminal_count();
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  const auto try_split = [&](auto is_in_half) {
    end_if_set(stop);
    smallest = std::min(smallest, flow.maximum_flow(is_in_half));
  };
  const auto try_half = [&](const std::vector<bool>& half) {
    try_split([&](TerminalId terminal) { return half[terminal.index()]; });
  };
  try_split([&](TerminalId terminal) { return terminal.index() < terminals / 2; });
  for (std::size_t block = 1; block * 2 < terminals; ++block)
    if (terminals % (2 * block) == 0)
      try_split([&](TerminalId terminal) { return terminal.index() / block % 2 == 0; });
  if (const auto* const grid = topology.find_labelling<CartesianLabelling>())
    for (std::uint32_t dimension = 0; dimension < grid->dimensions(); ++dimension)
      try_half(first_half(along(topology, *grid, dimension)));
  if (is_bisection_exact(topology)) return smallest;
  if (const auto* const tree = topology.find_labelling<MirroredTreeLabelling>();
      tree != nullptr && tree->levels() > 0)
    try_half(lower_digits(topology, *tree));
  constexpr std::size_t max_centres = 16;
  const std::size_t centres = std::min(terminals, max_centres);
  for (std::size_t i = 0; i < centres; ++i)
    try_half(nearest_half(topology, TerminalId(static_cast<std::uint32_t>(i * terminals / centres))));
  return smallest;
}

}  // namespace faultline
