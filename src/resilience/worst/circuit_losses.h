// SPDX-License-Identifier: Apache-2.0
// How many pairs so many faults can cut off at most, by a circuit.
#pragma once

#include <vector>

#include "resilience/circuit/circuit.h"
#include "resilience/worst/loss_bound.h"

namespace faultline::survival {

/// A pair weighs on the components that cut it off: an AND passes its weight on to each operand, an OR
/// divides it among them, so that whatever makes an output false bears its whole weight.
class CircuitLosses {
 public:
  /// For circuits of ANDs and ORs of alive components, without loops.
  explicit CircuitLosses(Circuit circuit);

  [[nodiscard]] LossBound bound(const Decided& decided, std::uint32_t budget);
  [[nodiscard]] std::size_t size() const { return groups_.size(); }

 private:
  void find_groups();
  void append_groups(Node node, const std::vector<std::uint64_t>& support, std::size_t words);
  [[nodiscard]] std::uint32_t least_deaths(Node node, std::uint32_t most) const;
  void pass_on(Node node, std::uint32_t budget);

  Circuit circuit_;
  std::vector<std::uint32_t> first_;   // by node: its first operand in groups_
  std::vector<std::uint32_t> groups_;  // by operand of ORs: those with equal numbers share components
  std::vector<std::uint32_t> deaths_;  // by node: of the components that are needed to make it false
  std::vector<double> weight_;         // by node
};

}  // namespace faultline::survival
