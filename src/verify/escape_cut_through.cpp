// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/sort_unique.h"
#include "verify/drain_order.h"
#include "verify/escape.h"
#include "verify/rings.h"

namespace faultline {
namespace {

/// Dependencies between rings and single buffers, each ring at the number of its first buffer.
DependencyGraph contracted(const DependencyGraph& graph, const Rings& rings) {
  std::vector<std::vector<std::uint32_t>> successors(graph.count());
  for (std::uint32_t held = 0; held < graph.count(); ++held)
    for (const std::uint32_t asked : graph.of(held))
      if (!rings.goes_round(held, asked)) successors[rings.node(held)].push_back(rings.node(asked));
  DependencyGraph result;
  for (std::vector<std::uint32_t>& row : successors) {
    sort_unique(row);
    result.successors.insert(result.successors.end(), row.begin(), row.end());
    result.offsets.push_back(result.successors.size());
  }
  return result;
}

/// Without the rows of the other buffers, which come last in the order whatever they ask for.
DependencyGraph among(const DependencyGraph& graph, const std::vector<bool>& members) {
  DependencyGraph result;
  for (std::size_t node = 0; node < graph.count(); ++node) {
    if (members[node])
      result.successors.insert(result.successors.end(), graph.of(node).begin(), graph.of(node).end());
    result.offsets.push_back(result.successors.size());
  }
  return result;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> escape_order_cut_through(const RoutingRelation& relation,
                                                                   const FaultSet& dead,
                                                                   const Buffers& buffers,
                                                                   const Survey& survey) {
  DirectDependencies dependencies(buffers);
  for (const TerminalId destination : relation.topology().terminals())
    dependencies.add(enumerate_states(relation, destination, dead),
                     [](const DestinationStates::Move& move) { return move.escape; });
  const Rings rings(buffers, relation.bubble_rings());
  const DrainOrder order = drain_order(contracted(among(dependencies.graph(), survey.escape_buffers), rings));
  if (!order.complete()) return std::nullopt;
  // A ring has one rank, also for those of its buffers that no packet uses because faults are known.
  std::vector<bool> ranked(buffers.count());
  for (std::uint32_t buffer = 0; buffer < ranked.size(); ++buffer)
    if (survey.escape_buffers[buffer]) ranked[rings.node(buffer)] = true;
  std::vector<std::uint32_t> ranks(buffers.count());
  for (std::uint32_t buffer = 0; buffer < ranks.size(); ++buffer)
    ranks[buffer] = ranked[rings.node(buffer)] ? order.ranks[rings.node(buffer)] : order.ranked;
  return ranks;
}

}  // namespace faultline
