// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/cut_search.h"

#include <algorithm>

#include "resilience/cuts/flow.h"

namespace faultline::survival {

CutSearch::CutSearch(const CutGraph& graph, bool reversed, StopFlag stop)
    : graph_(graph),
      out_(graph.vertices.size()),
      spared_(graph.pieces.size()),
      missing_(graph.pieces.size()),
      stop_(stop) {
  for (const CutGraph::Arc& arc : graph.arcs) {
    const auto [from, to] = reversed ? std::pair(arc.to, arc.from) : std::pair(arc.from, arc.to);
    out_[from].push_back({to, arc.piece});
  }
}

bool CutSearch::run(std::uint32_t start, const std::vector<bool>& goals, std::uint32_t budget,
                    std::uint64_t& max_steps, const std::function<bool(const Cut&)>& visit) {
  kept_ = spared_;
  start_ = start;
  goals_ = goals;
  visit_ = &visit;
  steps_ = max_steps;
  const bool finished = search(budget);
  max_steps = steps_;
  return finished;
}

CutSearch::Shares CutSearch::shares(std::uint32_t start, const std::vector<bool>& goals, std::uint32_t budget,
                                    const std::vector<bool>& missing, const std::vector<bool>& kept,
                                    std::uint32_t turn) {
  start_ = start;
  goals_ = goals;
  missing_ = missing;
  kept_ = kept;
  Shares result;
  constexpr std::uint32_t turns = 3;
  if (!graph_.flows_are_bounds)
    result.least = disjoint_paths(budget, &result);
  else
    for (std::uint32_t i = 0; i < turns; ++i) {
      result.least = flow(budget, turn + i, &result);
      if (result.least == 0 || result.least > budget) break;
    }
  if (graph_.flows_are_bounds)
    for (auto& [piece, share] : result.of) share /= turns;
  missing_.assign(missing_.size(), false);
  return result;
}

bool CutSearch::take_steps(std::uint64_t steps) {
  const bool enough = steps <= steps_ && !is_set(stop_);
  steps_ -= std::min(steps, steps_);
  return enough;
}

bool CutSearch::search(std::uint32_t budget) {
  std::vector<std::uint32_t> kept;
  bool goes_on = true;
  while (goes_on) {
    const std::uint32_t least = graph_.flows_are_bounds ? flow(budget) : disjoint_paths(budget);
    goes_on = take_steps(std::uint64_t{least + 1} * graph_.arcs.size());
    if (least > budget || !goes_on) break;
    const std::optional<Cut> open = path(missing_);
    if (!open) {
      Cut sorted = cut_;
      std::ranges::sort(sorted);
      if (is_minimal()) goes_on = (*visit_)(sorted);
      break;
    }
    const std::uint32_t piece = open->front();
    if (const std::uint32_t weight = graph_.pieces[piece].weight; weight <= budget) {
      missing_[piece] = true;
      cut_.push_back(piece);
      goes_on = search(budget - weight);
      cut_.pop_back();
      missing_[piece] = false;
    }
    kept_[piece] = true;
    kept.push_back(piece);
  }
  for (const std::uint32_t piece : kept) kept_[piece] = false;
  return goes_on;
}

std::uint32_t CutSearch::capacity(std::uint32_t piece) const {
  if (piece == CutGraph::none || kept_[piece]) return Flow::unlimited;
  return missing_[piece] ? 0 : graph_.pieces[piece].weight;
}

/// The size of the smallest remaining cut; `budget` + 1 if that is more. `turn`: where to start in the list
/// of a vertex's arcs, so that flows spread over equal paths.
std::uint32_t CutSearch::flow(std::uint32_t budget, std::uint32_t turn, Shares* shares) const {
  const auto vertices = static_cast<std::uint32_t>(graph_.vertices.size());
  const std::uint32_t sink = 2 * vertices;
  Flow network(sink + 1);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> limited;  // arcs and their pieces
  const auto add = [&](std::uint32_t from, std::uint32_t to, std::uint32_t piece) {
    const std::uint32_t own = capacity(piece);
    if (own == 0) return;
    const std::uint32_t arc = network.add_arc(from, to, own);
    if (own != Flow::unlimited) limited.emplace_back(arc, piece);
  };
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    if (!graph_.vertices[vertex].passable && vertex != start_ && !goals_[vertex]) continue;
    add(2 * vertex, goals_[vertex] ? sink : 2 * vertex + 1, graph_.vertices[vertex].piece);
    if (goals_[vertex]) continue;
    for (std::size_t i = 0; i < out_[vertex].size(); ++i) {
      const Arc& arc = out_[vertex][(i + turn) % out_[vertex].size()];
      add(2 * vertex + 1, 2 * arc.to, arc.piece);
    }
  }
  const std::uint32_t least = std::min(network.run(2 * start_, sink, budget), budget + 1);
  if (shares != nullptr && least <= budget)
    for (const auto& [arc, piece] : limited)
      if (const std::uint32_t through = network.through(arc); through != 0)
        shares->of.emplace_back(piece, static_cast<double>(through) / least);
  return least;
}

/// A lower bound of what must still be cut: paths that share no open piece, picked greedily; `budget` + 1 if
/// that is more, and if a path cannot be cut.
std::uint32_t CutSearch::disjoint_paths(std::uint32_t budget, Shares* shares) const {
  std::vector<bool> used = missing_;
  std::uint32_t count = 0;
  while (count <= budget) {
    const std::optional<Cut> open = path(used);
    if (!open) break;
    if (open->empty()) return budget + 1;
    if (shares != nullptr)
      for (const std::uint32_t piece : *open) shares->of.emplace_back(piece, 1.0);
    std::uint32_t least = graph_.pieces[open->front()].weight;
    for (const std::uint32_t piece : *open) {
      used[piece] = true;
      least = std::min(least, graph_.pieces[piece].weight);
    }
    count += std::min(least, budget + 1 - count);
  }
  if (shares != nullptr)
    for (auto& [piece, share] : shares->of) share /= count;
  return count;
}

/// The open pieces on a path with the fewest arcs, in its order; absent if every path has a `missing` piece.
std::optional<Cut> CutSearch::path(const std::vector<bool>& missing) const {
  const auto is_gone = [&](std::uint32_t piece) { return piece != CutGraph::none && missing[piece]; };
  std::vector<Step> steps(graph_.vertices.size(), {CutGraph::none, CutGraph::none});
  std::vector<std::uint32_t> queue;
  const auto reach = [&](std::uint32_t vertex, Step step) {
    if (steps[vertex].before != CutGraph::none || is_gone(step.piece) ||
        is_gone(graph_.vertices[vertex].piece))
      return;
    steps[vertex] = step;
    queue.push_back(vertex);
  };
  reach(start_, {start_, CutGraph::none});
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t at = queue[next];
    if (goals_[at]) return open_pieces(steps, at);
    if (graph_.vertices[at].passable || at == start_)
      for (const Arc& arc : out_[at]) reach(arc.to, {at, arc.piece});
  }
  return std::nullopt;
}

Cut CutSearch::open_pieces(const std::vector<Step>& steps, std::uint32_t to) const {
  Cut open;
  const auto append = [&](std::uint32_t piece) {
    if (piece != CutGraph::none && !kept_[piece]) open.push_back(piece);
  };
  for (std::uint32_t at = to;; at = steps[at].before) {
    append(graph_.vertices[at].piece);
    append(steps[at].piece);
    if (at == start_) break;
  }
  std::ranges::reverse(open);
  return open;
}

/// Whether restoring any single piece of the cut opens a path.
bool CutSearch::is_minimal() {
  return std::ranges::all_of(cut_, [&](std::uint32_t piece) {
    missing_[piece] = false;
    const bool opens = path(missing_).has_value();
    missing_[piece] = true;
    return opens;
  });
}

}  // namespace faultline::survival
