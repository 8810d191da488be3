// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/network_cuts.h"

#include <algorithm>
#include <map>
#include <set>

namespace faultline::survival {
namespace {

class Cuts {
 public:
  Cuts(const CutGraph& graph, const Topology& topology, std::uint32_t largest, CutEffort effort)
      : graph_(graph),
        topology_(topology),
        largest_(largest),
        effort_(effort),
        two_way_(graph.is_two_way()),
        forward_(graph, false, effort.stop),
        backward_(graph, true, effort.stop) {}

  std::optional<std::vector<Cut>> run() && {
    if (topology_.terminal_count() < 2) return std::vector<Cut>{};
    if (is_never_connected()) return std::vector<Cut>{{}};
    if (const auto homes = single_homes())
      cut_off_homes(*homes);
    else
      cut_off_pairs();
    if (!finished_) return std::nullopt;
    return without_supersets();
  }

 private:
  /// A terminal that can send to nobody, or that nobody can send to: nothing has to fail.
  [[nodiscard]] bool is_never_connected() const {
    return std::ranges::any_of(topology_.terminals(), [&](TerminalId terminal) {
      return topology_.injection(terminal).empty() || topology_.ejection(terminal).empty();
    });
  }

  /// The switches that hold terminals, where each terminal is attached to one switch only, by one arc each
  /// way.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> single_homes() const {
    std::vector<std::uint32_t> arcs(graph_.vertices.size());
    for (const CutGraph::Arc& arc : graph_.arcs) {
      ++arcs[arc.from];
      ++arcs[arc.to];
    }
    std::set<std::uint32_t> homes;
    for (const TerminalId terminal : topology_.terminals()) {
      if (arcs[CutGraph::vertex(topology_, terminal)] != 2) return std::nullopt;
      const SwitchId home = topology_.target(topology_.injection(terminal).front());
      for (const ChannelId channel : topology_.injection(terminal))
        if (topology_.target(channel) != home) return std::nullopt;
      for (const ChannelId channel : topology_.ejection(terminal))
        if (topology_.source(channel) != home) return std::nullopt;
      homes.insert(CutGraph::vertex(home));
    }
    return std::vector(homes.begin(), homes.end());
  }

  bool add(const Cut& cut) {
    cuts_.insert(cut);
    return cuts_.size() <= effort_.max_cuts;
  }

  void add_alone(std::uint32_t piece) {
    if (piece != CutGraph::none && graph_.pieces[piece].weight <= largest_)
      finished_ = add({piece}) && finished_;
  }

  /// A terminal is disconnected by itself, or its switch is disconnected from one of those before it.
  void cut_off_homes(const std::vector<std::uint32_t>& homes) {
    const std::vector<bool> outside = attachments();
    for (std::size_t vertex = 0; vertex < outside.size(); ++vertex)
      if (outside[vertex]) add_alone(graph_.vertices[vertex].piece);
    for (const CutGraph::Arc& arc : graph_.arcs)
      if (outside[arc.from] || outside[arc.to]) add_alone(arc.piece);
    for (const std::uint32_t home : homes) {
      const std::uint32_t piece = graph_.vertices[home].piece;
      add_alone(piece);
      if (piece == CutGraph::none) continue;
      forward_.spare(piece);
      backward_.spare(piece);
    }
    std::vector<bool> before(graph_.vertices.size());
    for (const std::uint32_t home : nearest_first(homes)) {
      if (std::ranges::find(before, true) != before.end()) search(home, before);
      before[home] = true;
    }
  }

  /// The terminals, and the steps on the way between them and their switches.
  [[nodiscard]] std::vector<bool> attachments() const {
    std::vector<bool> result(graph_.vertices.size());
    for (std::uint32_t vertex = 0; vertex < result.size(); ++vertex) result[vertex] = is_terminal(vertex);
    for (bool grows = true; grows;) {
      grows = false;
      for (const CutGraph::Arc& arc : graph_.arcs)
        for (const auto& [near, far] : {std::pair(arc.from, arc.to), std::pair(arc.to, arc.from)})
          if (result[near] && !result[far] && far >= topology_.switch_count()) result[far] = grows = true;
    }
    return result;
  }

  [[nodiscard]] bool is_terminal(std::uint32_t vertex) const { return !graph_.vertices[vertex].passable; }

  /// Ordered so that the searches end near where they start.
  [[nodiscard]] std::vector<std::uint32_t> nearest_first(const std::vector<std::uint32_t>& homes) const {
    std::vector<std::vector<std::uint32_t>> neighbours(graph_.vertices.size());
    for (const CutGraph::Arc& arc : graph_.arcs) {
      neighbours[arc.from].push_back(arc.to);
      neighbours[arc.to].push_back(arc.from);
    }
    std::vector<bool> met(graph_.vertices.size());
    std::vector<std::uint32_t> queue, order;
    for (const std::uint32_t home : homes) {
      if (met[home]) continue;
      met[home] = true;
      queue.assign(1, home);
      for (std::size_t next = 0; next < queue.size(); ++next) {
        if (std::ranges::binary_search(homes, queue[next])) order.push_back(queue[next]);
        for (const std::uint32_t near : neighbours[queue[next]]) {
          if (met[near]) continue;
          met[near] = true;
          queue.push_back(near);
        }
      }
    }
    return order;
  }

  void search(std::uint32_t start, const std::vector<bool>& goals) {
    const auto visit = [&](const Cut& cut) { return add(cut); };
    finished_ = finished_ && forward_.run(start, goals, largest_, effort_.max_steps, visit);
    if (!two_way_) finished_ = finished_ && backward_.run(start, goals, largest_, effort_.max_steps, visit);
  }

  /// Of terminals that cannot be distinguished at most two are examined: two, because they also form a pair.
  void cut_off_pairs() {
    std::map<std::vector<std::tuple<std::uint32_t, std::uint32_t, bool>>, std::vector<std::uint32_t>> alike;
    std::map<std::uint32_t, std::vector<std::tuple<std::uint32_t, std::uint32_t, bool>>> arcs_of;
    for (const CutGraph::Arc& arc : graph_.arcs) {
      if (is_terminal(arc.from)) arcs_of[arc.from].emplace_back(arc.to, arc.piece, true);
      if (is_terminal(arc.to)) arcs_of[arc.to].emplace_back(arc.from, arc.piece, false);
    }
    for (auto& [terminal, arcs] : arcs_of) {
      arcs.emplace_back(CutGraph::none, graph_.vertices[terminal].piece, false);
      std::ranges::sort(arcs);
      if (auto& group = alike[arcs]; group.size() < 2) group.push_back(terminal);
    }
    std::vector<std::uint32_t> terminals;
    for (const auto& [arcs, group] : alike) terminals.insert(terminals.end(), group.begin(), group.end());
    for (const std::uint32_t from : terminals)
      for (const std::uint32_t to : terminals) {
        if (from == to || (two_way_ && from > to)) continue;
        std::vector<bool> goals(graph_.vertices.size());
        goals[to] = true;
        finished_ = finished_ && forward_.run(from, goals, largest_, effort_.max_steps,
                                              [&](const Cut& cut) { return add(cut); });
      }
  }

  /// A cut that is minimal for one pair need not be minimal for all.
  [[nodiscard]] std::vector<Cut> without_supersets() const {
    std::vector<Cut> by_size(cuts_.begin(), cuts_.end());
    std::ranges::stable_sort(by_size, {}, &Cut::size);
    std::vector<std::vector<std::size_t>> with(graph_.pieces.size());  // kept cuts, by smallest piece
    std::vector<Cut> kept;
    for (const Cut& cut : by_size) {
      const auto contains_one_of = [&](std::uint32_t piece) {
        return std::ranges::any_of(
            with[piece], [&](std::size_t other) { return std::ranges::includes(cut, kept[other]); });
      };
      if (std::ranges::any_of(cut, contains_one_of)) continue;
      if (!cut.empty()) with[cut.front()].push_back(kept.size());
      kept.push_back(cut);
      if (cut.empty()) break;  // some pair is disconnected without any fault
    }
    return kept;
  }

  const CutGraph& graph_;
  const Topology& topology_;
  std::uint32_t largest_;
  CutEffort effort_;
  bool two_way_;
  CutSearch forward_, backward_;
  std::set<Cut> cuts_;
  bool finished_ = true;
};

}  // namespace

std::optional<std::vector<Cut>> network_cuts(const CutGraph& graph, const Topology& topology,
                                             std::uint32_t largest, CutEffort effort) {
  return Cuts(graph, topology, largest, effort).run();
}

std::optional<Circuit> cut_requirements(const Subject& subject, std::uint32_t largest, CutEffort effort) {
  CutGraph graph = cut_graph(subject);
  const auto cuts = network_cuts(graph, subject.components.topology(), largest, effort);
  if (!cuts) return std::nullopt;
  for (const Cut& cut : *cuts) {
    std::vector<Node> gates;
    for (const std::uint32_t piece : cut) gates.push_back(graph.pieces[piece].gate);
    graph.circuit.require(graph.circuit.any(gates));
  }
  graph.circuit.end_batch();
  return std::move(graph.circuit);
}

std::uint32_t max_faults_of_requirements(const Subject& subject, std::uint32_t beyond, CutEffort effort) {
  const CutGraph graph = cut_graph(subject);
  std::uint32_t most = 0;
  while (most + 1 < beyond && network_cuts(graph, subject.components.topology(), most + 1, effort)) ++most;
  return most;
}

}  // namespace faultline::survival
