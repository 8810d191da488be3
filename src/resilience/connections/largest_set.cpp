// SPDX-License-Identifier: Apache-2.0
#include "resilience/connections/largest_set.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace faultline::survival {
namespace {

/// A graph with at most a few thousand vertices, as rows of bits.
class Bits {
 public:
  explicit Bits(std::size_t size = 0) : words_((size + 63) / 64) {}
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void clear(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }
  void remove(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  void for_each_common(const Bits& other, auto visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t bits = words_[i] & other.words_[i]; bits != 0; bits &= bits - 1)
        visit(static_cast<std::uint32_t>(64 * i + static_cast<std::size_t>(std::countr_zero(bits))));
  }
  void for_each(auto visit) const { for_each_common(*this, visit); }
  [[nodiscard]] bool empty() const {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
  }
  [[nodiscard]] std::vector<std::uint64_t> common(const Bits& other) const {
    std::vector<std::uint64_t> result(words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) result[i] = words_[i] & other.words_[i];
    return result;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// What remains to be decided, along one branch of the search.
struct Rest {
  std::vector<std::uint64_t> weight;
  Bits open;
  std::uint64_t taken = 0;
};

class Solver {
 public:
  Solver(std::vector<std::uint64_t> weights, std::vector<Bits> neighbours, std::uint64_t& limit)
      : neighbours_(std::move(neighbours)), limit_(limit) {
    Rest all{std::move(weights), Bits(neighbours_.size()), 0};
    for (std::size_t i = 0; i < neighbours_.size(); ++i) all.open.set(i);
    solve(std::move(all));
  }
  [[nodiscard]] LargestSet result() const { return {best_, exact_}; }

 private:
  void solve(Rest rest) {
    reduce(rest);
    if (rest.open.empty()) {
      best_ = std::max(best_, rest.taken);
      return;
    }
    if (rest.taken + bound(rest) <= best_) return;
    if (limit_ == 0) {
      exact_ = false;
      best_ = std::max(best_, rest.taken + greedy(rest));
      return;
    }
    --limit_;
    const std::uint32_t vertex = busiest(rest);
    Rest without = rest;
    take(rest, vertex);
    solve(std::move(rest));
    without.open.clear(vertex);
    solve(std::move(without));
  }

  void take(Rest& rest, std::uint32_t vertex) const {
    rest.taken += rest.weight[vertex];
    rest.open.clear(vertex);
    rest.open.remove(neighbours_[vertex]);
  }

  struct Around {
    std::uint32_t degree = 0, last = 0;
    std::uint64_t weight = 0;
  };
  [[nodiscard]] Around around(const Rest& rest, std::uint32_t vertex) const {
    Around result;
    rest.open.for_each_common(neighbours_[vertex], [&](std::uint32_t other) {
      ++result.degree;
      result.last = other;
      result.weight += rest.weight[other];
    });
    return result;
  }

  void reduce(Rest& rest) const {
    for (bool changed = true; changed;) {
      changed = false;
      rest.open.for_each([&](std::uint32_t vertex) {
        if (!rest.open.test(vertex)) return;  // removed in this round
        const Around near = around(rest, vertex);
        if (rest.weight[vertex] == 0) {
          rest.open.clear(vertex);
          changed = changed || near.degree != 0;
        } else if (rest.weight[vertex] >= near.weight) {
          take(rest, vertex);
          changed = changed || near.degree != 0;
        } else if (near.degree == 1) {
          // Either this pendant or, for the difference in weight, its neighbour.
          rest.taken += rest.weight[vertex];
          rest.weight[near.last] -= rest.weight[vertex];
          rest.open.clear(vertex);
          changed = true;
        }
      });
      changed = join_twins(rest) || changed;
    }
  }

  bool join_twins(Rest& rest) const {
    std::map<std::vector<std::uint64_t>, std::uint32_t> first_with;
    bool joined = false;
    rest.open.for_each([&](std::uint32_t vertex) {
      const auto [entry, is_new] = first_with.emplace(rest.open.common(neighbours_[vertex]), vertex);
      if (is_new) return;
      rest.weight[entry->second] += rest.weight[vertex];
      rest.open.clear(vertex);
      joined = true;
    });
    return joined;
  }

  /// A set of vertices that are all neighbours contributes at most one.
  [[nodiscard]] std::uint64_t bound(const Rest& rest) const {
    std::vector<std::pair<Bits, std::uint64_t>> cliques;  // common neighbours, heaviest weight
    rest.open.for_each([&](std::uint32_t vertex) {
      for (auto& [common, heaviest] : cliques)
        if (common.test(vertex)) {
          Bits others = common;
          others.remove(neighbours_[vertex]);
          common.remove(others);
          heaviest = std::max(heaviest, rest.weight[vertex]);
          return;
        }
      cliques.emplace_back(neighbours_[vertex], rest.weight[vertex]);
    });
    std::uint64_t sum = 0;
    for (const auto& clique : cliques) sum += clique.second;
    return sum;
  }

  [[nodiscard]] std::uint32_t busiest(const Rest& rest) const {
    std::uint32_t best = 0, most = 0;
    rest.open.for_each([&](std::uint32_t vertex) {
      if (const std::uint32_t degree = around(rest, vertex).degree; degree > most) {
        most = degree;
        best = vertex;
      }
    });
    return best;
  }

  [[nodiscard]] std::uint64_t greedy(Rest rest) const {
    const std::uint64_t before = rest.taken;
    while (!rest.open.empty()) {
      std::uint32_t best = 0;
      double most = -1;
      rest.open.for_each([&](std::uint32_t vertex) {
        const Around near = around(rest, vertex);
        const double worth =
            static_cast<double>(rest.weight[vertex]) / static_cast<double>(near.weight + rest.weight[vertex]);
        if (worth > most) {
          most = worth;
          best = vertex;
        }
      });
      take(rest, best);
    }
    return rest.taken - before;
  }

  std::vector<Bits> neighbours_;
  std::uint64_t& limit_;
  std::uint64_t best_ = 0;
  bool exact_ = true;
};

/// Vertices by connected component.
std::vector<std::vector<std::uint32_t>> pieces(const std::vector<std::vector<std::uint32_t>>& neighbours) {
  std::vector<std::vector<std::uint32_t>> result;
  std::vector<bool> seen(neighbours.size());
  for (std::uint32_t start = 0; start < neighbours.size(); ++start) {
    if (seen[start]) continue;
    seen[start] = true;
    std::vector<std::uint32_t> piece{start};
    for (std::size_t next = 0; next < piece.size(); ++next)
      for (const std::uint32_t other : neighbours[piece[next]])
        if (!seen[other]) {
          seen[other] = true;
          piece.push_back(other);
        }
    result.push_back(std::move(piece));
  }
  return result;
}

}  // namespace

LargestSet largest_independent_set(const std::vector<std::uint64_t>& weights,
                                   const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
                                   std::uint64_t limit) {
  std::vector<std::vector<std::uint32_t>> neighbours(weights.size());
  for (const auto& [a, b] : edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::vector<std::uint32_t> index(weights.size());
  LargestSet all;
  for (const auto& piece : pieces(neighbours)) {
    for (std::uint32_t i = 0; i < piece.size(); ++i) index[piece[i]] = i;
    std::vector<std::uint64_t> piece_weights;
    std::vector<Bits> rows(piece.size(), Bits(piece.size()));
    for (std::uint32_t i = 0; i < piece.size(); ++i) {
      piece_weights.push_back(weights[piece[i]]);
      for (const std::uint32_t other : neighbours[piece[i]]) rows[i].set(index[other]);
    }
    const LargestSet here = Solver(std::move(piece_weights), std::move(rows), limit).result();
    all.weight += here.weight;
    all.exact = all.exact && here.exact;
  }
  return all;
}

}  // namespace faultline::survival
