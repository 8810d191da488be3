// SPDX-License-Identifier: Apache-2.0
// An upper bound of the pairs that N faults can disconnect, from the survival circuit.
#pragma once

#include <vector>

#include "resilience/circuit/circuit.h"
#include "resilience/worst/loss_bound.h"

namespace faultline::survival {

/// The pairs of an output are a weight that is passed down to components: an AND gives its weight to each
/// operand, an OR divides it among its operands. Components that make the output false then carry at least
/// its whole weight.
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
