// SPDX-License-Identifier: Apache-2.0
#include "simulate/ideal/linear_program.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>

namespace faultline {
namespace {

/// Minimise L: what leaves a node less what enters it is its demand; a channel carries at most L. Column 0 is
/// L, the others are the arcs; the first rows are the channels, the others the nodes.
class LinearProgram {
 public:
  explicit LinearProgram(const FlowNetworks& networks) : networks_(networks) {
    row_low_.assign(networks.channel_count(), -COIN_DBL_MAX);
    row_high_.assign(networks.channel_count(), 0);
    starts_.push_back(0);
    for (std::size_t c = 0; c < networks.channel_count(); ++c) append(static_cast<int>(c), -1);
    end_column(COIN_DBL_MAX);
    for (const FlowNetwork& network : networks.kept()) append(network);
    std::vector<double> costs(column_high_.size());
    costs[0] = 1;
    clp_.setLogLevel(0);
    clp_.setMaximumIterations(max_iterations);
    clp_.loadProblem(static_cast<int>(column_high_.size()), static_cast<int>(row_low_.size()), starts_.data(),
                     rows_.data(), values_.data(), nullptr, column_high_.data(), costs.data(),
                     row_low_.data(), row_high_.data());
  }

  [[nodiscard]] bool solve() {
    ClpSolve how;
    how.setSolveType(ClpSolve::useDual);
    how.setPresolveType(ClpSolve::presolveOn);
    return clp_.initialSolve(how) == 0 && clp_.isProvenOptimal();
  }

  [[nodiscard]] std::vector<double> prices() const {
    std::vector<double> lengths(networks_.channel_count());
    for (std::size_t c = 0; c < lengths.size(); ++c) lengths[c] = std::abs(clp_.dualRowSolution()[c]);
    return lengths;
  }

  /// What the channels carry when every node divides its flow as the solution does.
  [[nodiscard]] Routed routed() const {
    Routed routed{std::vector<double>(networks_.channel_count())};
    const double* flow = clp_.primalColumnSolution() + 1;
    std::vector<double> shares;
    for (const FlowNetwork& network : networks_.kept()) {
      shares.assign(network.arcs.size(), 0);
      for (std::size_t node = 0; node < network.node_count(); ++node) {
        double sum = 0;
        for (std::uint32_t a = network.offsets[node]; a < network.offsets[node + 1]; ++a)
          sum += std::max(0.0, flow[a]);
        for (std::uint32_t a = network.offsets[node]; a < network.offsets[node + 1]; ++a)
          shares[a] = sum > 0 ? std::max(0.0, flow[a]) / sum : network.arcs[a].share;
      }
      routed.flow += spread(network, shares, routed.loads);
      flow += network.arcs.size();
    }
    return routed;
  }

 private:
  static constexpr int max_iterations = 30'000;

  void append(int row, double value) {
    rows_.push_back(row);
    values_.push_back(value);
  }
  void end_column(double high) {
    starts_.push_back(static_cast<CoinBigIndex>(rows_.size()));
    column_high_.push_back(high);
  }

  void append(const FlowNetwork& network) {
    const auto first_row = static_cast<int>(row_low_.size());
    const std::vector<double> hops = distances(network, std::vector<double>(networks_.channel_count(), 1));
    const auto has_path = [&](std::uint32_t node) {
      return node == FlowNetwork::arrived || std::isfinite(hops[node]);
    };
    for (std::uint32_t node = 0; node < network.node_count(); ++node) {
      const double demand = node < network.demands.size() && has_path(node) ? network.demands[node] : 0;
      row_low_.push_back(demand);
      row_high_.push_back(demand);
      for (const FlowNetwork::Arc& arc : network.arcs_of(node)) {
        append(static_cast<int>(arc.channel), 1);
        append(first_row + static_cast<int>(node), 1);
        if (arc.next != FlowNetwork::arrived) append(first_row + static_cast<int>(arc.next), -1);
        end_column(has_path(arc.next) ? COIN_DBL_MAX : 0);
      }
    }
  }

  std::vector<CoinBigIndex> starts_;  // CSC
  std::vector<int> rows_;
  std::vector<double> values_, column_high_, row_low_, row_high_;
  const FlowNetworks& networks_;
  ClpSimplex clp_;
};

}  // namespace

bool narrow_by_linear_program(LoadBracket& bracket, const FlowNetworks& networks) {
  LinearProgram program(networks);
  if (!program.solve()) return false;
  std::vector<double> lengths = program.prices();
  const double largest = std::ranges::max(lengths);
  for (double& length : lengths) length = std::max(length, 1e-12 * largest);
  const Routed shortest = raise(bracket, networks, lengths);
  const Routed best = program.routed();
  const double busiest = std::ranges::max(best.loads);
  if (busiest < bracket.high && best.flow > shortest.flow * (1 - 1e-9)) {
    bracket.high = busiest;
    bracket.best = best.loads;
  }
  return bracket.is_closed(1e-6);
}

}  // namespace faultline
