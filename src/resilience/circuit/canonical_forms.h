// SPDX-License-Identifier: Apache-2.0
// Detects parts of a circuit that are equal up to the names of their variables.
#pragma once

#include <span>
#include <vector>

#include "resilience/circuit/circuit.h"

namespace faultline::survival {

/// Renames the variables of functions so that what is equal but for names mostly becomes equal: colours are
/// refined by where a variable is read (colour refinement), ties are broken by giving one of those that look
/// alike a colour of its own (individualisation; McKay & Piperno, "Practical graph isomorphism II", J.
/// Symbolic Computation 60 (2014), section 2). Only one of them is tried. So functions of equal forms are
/// equal but for names, always; the converse fails where variables look alike and no symmetry maps one to the
/// other.
class CanonicalForms {
 public:
  /// Variables are renamed only to variables of their own type; `types` by variable.
  explicit CanonicalForms(std::vector<std::uint32_t> types);

  /// The renamed roots, as nodes of a circuit of this object's own, in rising order.
  [[nodiscard]] std::vector<Node> form(const Circuit& circuit, std::span<const Node> roots);
  /// Operands read so far.
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  struct Leaf {
    std::uint32_t variable, node;
    bool alive;
  };
  void collect(const Circuit& circuit, std::span<const Node> roots);
  void refine();
  void pass();
  [[nodiscard]] std::size_t classes();
  [[nodiscard]] bool individualise();
  [[nodiscard]] std::vector<std::uint32_t> names();

  std::vector<std::uint32_t> types_;
  std::vector<std::vector<std::uint32_t>> of_type_;
  Circuit forms_;
  std::size_t steps_ = 0;
  // Of the functions at hand.
  std::vector<Node> nodes_;                  // in rising order: what is read comes first
  std::vector<std::uint32_t> index_, seen_;  // by given node
  std::uint32_t epoch_ = 0;
  std::vector<Circuit::Gate> gates_;
  std::vector<std::uint32_t> offsets_, operands_;
  std::vector<bool> is_root_;
  std::vector<std::uint32_t> variables_;  // in rising order
  std::vector<Leaf> leaves_;
  std::vector<std::uint64_t> colours_, sorted_;  // by index in variables_
  std::vector<std::uint64_t> below_, above_;     // by index in nodes_
};

}  // namespace faultline::survival
