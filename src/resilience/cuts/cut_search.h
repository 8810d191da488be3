// SPDX-License-Identifier: Apache-2.0
// All minimal cuts between vertices of a cut graph (cut_graph.h), up to a given size.
#pragma once

#include <functional>
#include <optional>

#include "faultline/base/stop.h"
#include "resilience/cuts/cut_graph.h"

namespace faultline::survival {

/// Pieces, in rising order.
using Cut = std::vector<std::uint32_t>;

class CutSearch {
 public:
  /// `reversed`: arcs are followed backwards.
  CutSearch(const CutGraph& graph, bool reversed, StopFlag stop = nullptr);

  /// Excludes a piece from every cut.
  void spare(std::uint32_t piece) { spared_[piece] = true; }

  /// Calls `visit` once for each minimal cut: a set of pieces, of at most `budget` components in all, whose
  /// removal separates `start` from every goal. Branch and bound: each piece is either cut or kept, in order
  /// of distance from `start`, and a branch ends when a lower bound of what remains to be cut exceeds the
  /// budget. False if `visit` returned false, if it is stopped, or if more than `max_steps` arcs would be
  /// examined (the number examined is subtracted from it).
  bool run(std::uint32_t start, const std::vector<bool>& goals, std::uint32_t budget,
           std::uint64_t& max_steps, const std::function<bool(const Cut&)>& visit);

  /// A fractional cut, from several paths that share few pieces: the fraction of the paths that use each
  /// piece. The fractions of the pieces of any cut add up to at least 1. `turn` chooses among equally short
  /// paths.
  struct Shares {
    std::uint32_t least =
        0;  ///< lower bound of the components of any cut; above the budget, `of` is left empty
    std::vector<std::pair<std::uint32_t, double>>
        of;  ///< piece and fraction, for pieces of one component; a piece may be listed twice
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
  std::vector<std::vector<Arc>> out_;  // by vertex
  std::vector<bool> spared_;           // by piece
  std::vector<bool> kept_, missing_;   // by piece: decided
  Cut cut_;                            // the missing ones, as they were decided
  std::uint32_t start_ = 0;
  std::vector<bool> goals_;
  std::uint64_t steps_ = 0;
  StopFlag stop_;
  const std::function<bool(const Cut&)>* visit_ = nullptr;
};

}  // namespace faultline::survival
