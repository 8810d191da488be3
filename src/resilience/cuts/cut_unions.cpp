// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/cut_unions.h"

#include <algorithm>
#include <set>

namespace faultline::survival {
namespace {

constexpr std::size_t max_unions = 200'000;
constexpr std::uint64_t max_joins = 50'000'000;

std::uint32_t weight(const CutGraph& graph, const Cut& cut) {
  std::uint32_t sum = 0;
  for (const std::uint32_t piece : cut) sum += graph.pieces[piece].weight;
  return sum;
}

/// A smallest set that falsifies a gate of alive components, ANDs and ORs.
void append_deaths(const Circuit& circuit, Node gate, std::vector<Component>& set) {
  const auto operands = circuit.operands(gate);
  if (circuit.gate(gate) == Circuit::Gate::alive)
    set.push_back(operands.front());
  else if (circuit.gate(gate) == Circuit::Gate::all)
    append_deaths(circuit, operands.front(), set);
  else
    for (const Node operand : operands) append_deaths(circuit, operand, set);
}

/// The two sides of a bond (a minimal cut) stay connected, so that the cuts of pairs are those of the
/// network: if only arcs fail, in both directions, no piece is of two connections, and each terminal is
/// attached to one switch.
bool only_bonds(const CutGraph& graph) {
  if (!graph.flows_are_bounds) return false;
  const auto none = [](const CutGraph::Vertex& vertex) { return vertex.piece == CutGraph::none; };
  std::vector<std::uint32_t> ways(graph.vertices.size());
  for (const CutGraph::Arc& arc : graph.arcs) ++ways[arc.from];
  for (std::size_t vertex = 0; vertex < graph.vertices.size(); ++vertex)
    if (!graph.vertices[vertex].passable && ways[vertex] > 1) return false;
  return graph.is_two_way() && std::ranges::all_of(graph.vertices, none);
}

/// False if there are too many.
bool join(const CutGraph& graph, const std::vector<Cut>& cuts, std::uint32_t largest, std::set<Cut>& unions) {
  std::vector<Cut> queue(cuts.begin(), cuts.end());
  std::uint64_t joins = 0;
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const Cut& cut : cuts) {
      if (++joins > max_joins || unions.size() > max_unions) return false;
      Cut both;
      std::ranges::set_union(queue[next], cut, std::back_inserter(both));
      if (weight(graph, both) <= largest && unions.insert(both).second) queue.push_back(std::move(both));
    }
  return true;
}

}  // namespace

CutUnions cut_unions(const Subject& subject, std::uint32_t largest, StopFlag stop) {
  if (subject.survival == Survival::fixed_paths) return {};
  const CutEffort effort{.max_cuts = 20'000, .stop = stop};
  const CutGraph graph = cut_graph(subject);
  const Topology& topology = subject.components.topology();
  CutUnions result{.sets = {}, .complete = only_bonds(graph)};
  std::optional<std::vector<Cut>> cuts;
  for (std::uint32_t size = largest; size > 0 && !cuts; size /= 2) {
    cuts = network_cuts(graph, topology, size, effort);
    result.complete = result.complete && cuts && size == largest;
  }
  if (!cuts) return result;
  if (std::ranges::find(*cuts, Cut{}) != cuts->end()) result.complete = false;  // apart without faults
  std::set<Cut> unions(cuts->begin(), cuts->end());
  if (!join(graph, *cuts, largest, unions)) result.complete = false;
  for (const Cut& cut : unions) {
    if (cut.empty()) continue;
    result.sets.emplace_back();
    for (const std::uint32_t piece : cut)
      append_deaths(graph.circuit, graph.pieces[piece].gate, result.sets.back());
  }
  return result;
}

}  // namespace faultline::survival
