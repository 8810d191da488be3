// SPDX-License-Identifier: Apache-2.0
// All minimal cuts between places of a network, up to a size.
#pragma once

#include <functional>
#include <optional>

#include "resilience/cuts/cut_graph.h"

namespace faultline::survival {

/// Pieces, in rising order.
using Cut = std::vector<std::uint32_t>;

class CutSearch {
 public:
  /// `reversed`: arcs are taken backwards.
  CutSearch(const CutGraph& graph, bool reversed);

  /// Says that a piece is never cut.
  void spare(std::uint32_t piece) { spared_[piece] = true; }

  /// Calls `visit` once for each minimal set of pieces, of at most `budget` components, without which no goal
  /// is reached from `start`. Pieces are cut or kept one after the other, outwards from `start`, as long as
  /// what must still be cut does not exceed the budget. False where `visit` said so, or where that took more
  /// than `most_steps` arcs looked at (they are taken from it).
  bool run(std::uint32_t start, const std::vector<bool>& goals, std::uint32_t budget,
           std::uint64_t& most_steps, const std::function<bool(const Cut&)>& visit);

  /// How a random path, one of several that share little, uses the pieces: whatever cuts all paths holds
  /// shares that add up to 1 at least. `turn` makes the difference between equal paths.
  struct Shares {
    std::uint32_t least = 0;  ///< that must be cut; more than the budget: nothing is said about shares
    std::vector<std::pair<std::uint32_t, double>> of;  ///< of pieces of one component each; some twice
  };
  [[nodiscard]] Shares shares(std::uint32_t start, const std::vector<bool>& goals, std::uint32_t budget,
                              const std::vector<bool>& missing, const std::vector<bool>& kept,
                              std::uint32_t turn);

 private:
  struct Arc {
    std::uint32_t to, piece;
  };
  struct Step {
    std::uint32_t before, piece;
  };

  bool search(std::uint32_t budget);
  bool take_steps(std::uint64_t steps);
  [[nodiscard]] std::uint32_t flow(std::uint32_t budget, std::uint32_t turn = 0,
                                   Shares* shares = nullptr) const;
  [[nodiscard]] std::uint32_t disjoint_paths(std::uint32_t budget, Shares* shares = nullptr) const;
  [[nodiscard]] std::uint32_t capacity(std::uint32_t piece) const;
  [[nodiscard]] std::optional<Cut> path(const std::vector<bool>& missing) const;
  [[nodiscard]] Cut open_pieces(const std::vector<Step>& steps, std::uint32_t to) const;
  [[nodiscard]] bool is_minimal();

  const CutGraph& graph_;
  std::vector<std::vector<Arc>> out_;  // by place
  std::vector<bool> spared_;           // by piece
  std::vector<bool> kept_, missing_;   // by piece: decided
  Cut cut_;                            // the missing ones, as they were decided
  std::uint32_t start_ = 0;
  std::vector<bool> goals_;
  std::uint64_t steps_ = 0;
  const std::function<bool(const Cut&)>* visit_ = nullptr;
};

}  // namespace faultline::survival
