// SPDX-License-Identifier: Apache-2.0
// The graph in which cuts are searched: vertices (switches, terminals or states) connected by pieces that
// fail independently of each other. It is a whole network if the routing is recomputed after faults (parallel
// cables are one piece), or the paths of one pair of terminals.
#pragma once

#include <vector>

#include "resilience/circuit/circuit.h"
#include "resilience/circuit/subject.h"
#include "resilience/cuts/pair_graph.h"

namespace faultline::survival {

struct CutGraph {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// No two pieces share a component.
  struct Piece {
    Node gate = Circuit::one;  ///< of CutGraph::circuit: false if the piece is dead
    std::uint32_t weight = 1;  ///< the fewest components whose failure makes it so
  };
  struct Arc {
    std::uint32_t from = 0, to = 0;
    std::uint32_t piece = none;  ///< none: it cannot fail
  };
  /// Nothing passes through terminals.
  struct Vertex {
    std::uint32_t piece = none;  ///< whose failure removes the switch or terminal; none: it cannot fail
    bool passable = true;
  };

  Circuit circuit;  ///< the gates of the pieces, no outputs
  std::vector<Piece> pieces;
  std::vector<Vertex> vertices;
  std::vector<Arc> arcs;
  /// Whether no cut crosses a piece twice, so that flows bound cuts from below.
  bool flows_are_bounds = false;

  /// Whether each arc can be taken backwards, at the same piece.
  [[nodiscard]] bool is_two_way() const;

  [[nodiscard]] static std::uint32_t vertex(SwitchId at) { return at.value(); }
  [[nodiscard]] static std::uint32_t vertex(const Topology& topology, TerminalId terminal) {
    return static_cast<std::uint32_t>(topology.switch_count()) + terminal.value();
  }
};

/// The network, for Survival::any_path and any_path_two_way: switches come first, then terminals by number.
[[nodiscard]] CutGraph cut_graph(const Subject& subject);
/// The paths of one pair, from PairGraph::source to PairGraph::sink. Piece i is the graph's component i.
[[nodiscard]] CutGraph cut_graph(const PairGraph& pair);

}  // namespace faultline::survival
