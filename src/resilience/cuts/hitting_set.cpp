// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/hitting_set.h"

#include <algorithm>
#include <optional>

#include "base/sort_unique.h"

namespace faultline::survival {
namespace {

using Components = std::vector<std::uint32_t>;

class BranchAndBound {
 public:
  BranchAndBound(const PairGraph& graph, std::uint64_t steps)
      : graph_(graph),
        steps_(steps),
        out_(graph.nodes),
        taken_(graph.components.size()),
        kept_(graph.components.size()) {
    for (std::uint32_t edge = 0; edge < graph.edges.size(); ++edge)
      out_[graph.edges[edge].from].push_back(edge);
  }

  enum class Answer : std::uint8_t { found, none, gave_up };

  /// Whether at most `budget` components hit every path; `chosen` names them then.
  Answer search(std::uint32_t budget) {
    if (steps_ == 0) return Answer::gave_up;
    --steps_;
    const std::optional<Components> path = find_path(taken_);
    if (!path) return Answer::found;
    if (budget == 0 || disjoint_paths(budget) > budget) return Answer::none;
    Answer answer = Answer::none;
    std::vector<std::uint32_t> tried;
    for (const std::uint32_t component : *path) {
      if (kept_[component]) continue;
      taken_[component] = true;
      chosen.push_back(component);
      answer = search(budget - 1);
      taken_[component] = false;
      if (answer != Answer::none) break;
      chosen.pop_back();
      kept_[component] = true;  // sets with it have been searched
      tried.push_back(component);
    }
    for (const std::uint32_t component : tried) kept_[component] = false;
    return answer;
  }

  /// The components of all sets of `size` that hit every path, where no smaller one does. Absent if the steps
  /// do not suffice to tell for one of them.
  std::optional<Components> members(std::uint32_t size) {
    Components result;
    if (size == 0) return result;
    for (std::uint32_t component = 0; component < graph_.components.size(); ++component) {
      taken_[component] = true;
      const Answer answer = search(size - 1);
      taken_[component] = false;
      if (answer == Answer::gave_up) return std::nullopt;
      if (answer == Answer::found) result.push_back(component);
    }
    return result;
  }

  /// Picks paths greedily that share no component that may still be taken; more than `enough` are not
  /// counted. A path without any such component cannot be hit.
  std::uint32_t disjoint_paths(std::uint32_t enough) {
    std::vector<bool> used = taken_;
    std::uint32_t count = 0;
    while (count <= enough) {
      const std::optional<Components> path = find_path(used);
      if (!path) break;
      bool hittable = false;
      for (const std::uint32_t component : *path)
        if (!kept_[component]) hittable = used[component] = true;
      if (!hittable) return enough + 1;
      ++count;
    }
    return count;
  }

  Components chosen;

 private:
  /// The components on a shortest path without `missing` ones.
  std::optional<Components> find_path(const std::vector<bool>& missing) {
    arrived_by_.assign(graph_.nodes, unreached);
    queue_.assign(1, PairGraph::source);
    for (std::size_t next = 0; next < queue_.size(); ++next)
      for (const std::uint32_t edge : out_[queue_[next]]) {
        const PairGraph::Edge& step = graph_.edges[edge];
        if (step.to == PairGraph::source || arrived_by_[step.to] != unreached) continue;
        if (std::ranges::any_of(graph_.components_of(step), [&](std::uint32_t c) { return missing[c]; }))
          continue;
        arrived_by_[step.to] = edge;
        if (step.to == PairGraph::sink) return components_to_sink();
        queue_.push_back(step.to);
      }
    return std::nullopt;
  }

  Components components_to_sink() {
    Components result;
    for (std::uint32_t at = PairGraph::sink; at != PairGraph::source; at = graph_.edges[arrived_by_[at]].from)
      for (const std::uint32_t component : graph_.components_of(graph_.edges[arrived_by_[at]]))
        result.push_back(component);
    sort_unique(result);
    return result;
  }

  static constexpr std::uint32_t unreached = ~std::uint32_t{0};

  const PairGraph& graph_;
  std::uint64_t steps_;
  std::vector<std::vector<std::uint32_t>> out_;  // edges by node
  std::vector<bool> taken_, kept_;               // by component
  std::vector<std::uint32_t> arrived_by_, queue_;
};

}  // namespace

MinimumCut smallest_hitting_set(const PairGraph& graph, MinimumCut upper, std::uint32_t limit,
                                std::uint64_t steps) {
  BranchAndBound search(graph, steps);
  std::uint32_t size = search.disjoint_paths(upper.size);
  for (; size < upper.size && size <= limit; ++size) {
    search.chosen.clear();
    switch (search.search(size)) {
      case BranchAndBound::Answer::found: {
        Components chosen = search.chosen;
        return {.size = size, .components = std::move(chosen), .members = search.members(size)};
      }
      case BranchAndBound::Answer::gave_up:
        return {.status = MinimumCut::Status::unknown, .size = size, .components = upper.components};
      case BranchAndBound::Answer::none:
        break;
    }
  }
  if (size > limit) return {.status = MinimumCut::Status::above, .size = size, .components = {}};
  upper.members = search.members(size);
  return upper;
}

}  // namespace faultline::survival
