// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/sort_unique.h"
#include "faultline/routing/contract.h"
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

/// A ring of which faults leave a part unused still has one position in the order.
std::vector<bool> with_whole_rings(const std::vector<bool>& escape_buffers, const Rings& rings) {
  std::vector<bool> members = escape_buffers;
  for (std::uint32_t buffer = 0; buffer < members.size(); ++buffer)
    if (escape_buffers[buffer]) members[rings.node(buffer)] = true;
  for (std::uint32_t buffer = 0; buffer < members.size(); ++buffer)
    if (members[rings.node(buffer)]) members[buffer] = true;
  return members;
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
                                                                   const Survey& survey, StopFlag stop) {
  DirectDependencies dependencies(buffers);
  for (const TerminalId destination : relation.topology().terminals()) {
    end_if_set(stop);
    dependencies.add(enumerate_states(relation, destination, dead),
                     [](const DestinationStates::Move& move) { return move.escape; });
  }
  const Rings rings(buffers, Contract(relation).bubble_rings());
  const std::vector<bool> members = with_whole_rings(survey.escape_buffers, rings);
  const DrainOrder order = drain_order(contracted(among(dependencies.graph(), members), rings));
  if (!order.complete()) return std::nullopt;
  std::vector<std::uint32_t> ranks(buffers.count());
  for (std::uint32_t buffer = 0; buffer < ranks.size(); ++buffer)
    ranks[buffer] = members[buffer] ? order.ranks[rings.node(buffer)] : order.ranked;
  return ranks;
}

}  // namespace faultline
