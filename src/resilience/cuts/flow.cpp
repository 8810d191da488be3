// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/flow.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <utility>

namespace faultline::survival {

std::uint32_t Flow::add_arc(std::uint32_t from, std::uint32_t to, std::uint32_t capacity) {
  const auto arc = static_cast<std::uint32_t>(arcs_.size());
  arcs_.push_back({to, first_[from], capacity});
  first_[from] = arc;
  arcs_.push_back({from, first_[to], 0});
  first_[to] = arc + 1;
  return arc;
}

bool Flow::find_path(std::uint32_t source, std::uint32_t sink) {
  reached_.assign(first_.size(), false);
  arrived_by_.resize(first_.size());
  queue_.assign(1, source);
  reached_[source] = true;
  for (std::size_t next = 0; next < queue_.size() && !reached_[sink]; ++next)
    for (std::uint32_t arc = first_[queue_[next]]; arc != none; arc = arcs_[arc].next) {
      if (arcs_[arc].capacity == 0 || reached_[arcs_[arc].to]) continue;
      reached_[arcs_[arc].to] = true;
      arrived_by_[arcs_[arc].to] = arc;
      queue_.push_back(arcs_[arc].to);
    }
  return reached_[sink];
}

std::uint32_t Flow::run(std::uint32_t source, std::uint32_t sink, std::uint32_t limit) {
  std::uint32_t flow = 0;
  while (flow <= limit && find_path(source, sink)) {
    std::uint32_t least = unlimited;
    for (std::uint32_t at = sink; at != source; at = arcs_[arrived_by_[at] ^ 1U].to)
      least = std::min(least, arcs_[arrived_by_[at]].capacity);
    if (least == unlimited) return unlimited;
    for (std::uint32_t at = sink; at != source; at = arcs_[arrived_by_[at] ^ 1U].to) {
      const std::uint32_t arc = arrived_by_[at];
      if (arcs_[arc].capacity != unlimited) arcs_[arc].capacity -= least;
      if (arcs_[arc ^ 1U].capacity != unlimited) arcs_[arc ^ 1U].capacity += least;
    }
    flow += least;
  }
  return flow;
}

std::vector<std::uint32_t> Flow::residual_parts() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> residual;
  for (std::size_t arc = 0; arc < arcs_.size(); ++arc)
    if (arcs_[arc].capacity != 0) residual.emplace_back(arcs_[arc ^ 1U].to, arcs_[arc].to);
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  const Graph graph(boost::edges_are_unsorted_multi_pass, residual.begin(), residual.end(), first_.size());
  std::vector<std::uint32_t> parts(first_.size());
  boost::strong_components(graph,
                           boost::make_iterator_property_map(parts.begin(), get(boost::vertex_index, graph)));
  return parts;
}

}  // namespace faultline::survival
