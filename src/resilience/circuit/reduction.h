// SPDX-License-Identifier: Apache-2.0
// Requirements over fewer variables, in an order that suits branching.
#pragma once

#include <unordered_map>
#include <vector>

#include "resilience/circuit/circuit.h"
#include "resilience/circuit/fault_polynomial.h"

namespace faultline::survival {

/// A component, or a part of the circuit that is read as a whole and reads each of its own components once.
struct Variable {
  std::uint32_t size = 1;  ///< components
  Polynomial alive{1}, dead{0, 1};
  std::uint32_t fewest_deaths = 1;  ///< that make it dead
};

/// The requirements over variables instead of components. Variables that more outputs read come first: what
/// remains after they are decided falls into smaller parts.
class Reduction {
 public:
  /// Polynomials have `terms` terms.
  Reduction(const Circuit& given, std::size_t terms);

  [[nodiscard]] const std::vector<Node>& roots() const { return roots_; }
  [[nodiscard]] Circuit& circuit() { return circuit_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }

 private:
  static constexpr std::uint32_t unmapped = ~std::uint32_t{0};

  [[nodiscard]] bool is_gate(Node node) const {
    return given_.gate(node) == Circuit::Gate::all || given_.gate(node) == Circuit::Gate::any;
  }
  void count_readers();
  [[nodiscard]] std::vector<Node> find_parts() const;
  /// Where a part is read.
  struct Reading {
    std::uint32_t outputs = 0;
    std::vector<std::uint32_t> choices;  ///< the first operand of each OR on the way to it
  };
  [[nodiscard]] std::vector<Reading> readings(const std::vector<Node>& parts) const;
  void number(const std::vector<Node>& parts);
  [[nodiscard]] Variable part(Node node) const;
  Node map(Node node);
  Node map_anew(Node node);
  void append_root(Node node);

  const Circuit& given_;
  std::size_t terms_;
  std::vector<std::uint32_t> readers_;  // by given node
  std::vector<Node> image_;             // by given node
  std::unordered_map<Node, std::uint32_t> part_at_;
  std::vector<Variable> variables_;
  Circuit circuit_;
  std::vector<Node> roots_;
};

}  // namespace faultline::survival
