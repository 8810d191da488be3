// SPDX-License-Identifier: Apache-2.0
// Random circuits, and what a plain evaluation of the same expressions says of them.
#pragma once

#include <algorithm>
#include <vector>

#include "faultline/base/random.h"
#include "resilience/circuit/circuit.h"

namespace faultline::survival {

struct Expression {
  enum class Type { alive, dead, unknown, all, any } type = Type::alive;
  std::vector<std::uint32_t> operands;  ///< expressions; of alive and dead a component
  std::uint32_t definition = 0;         ///< of an unknown: an expression of its loop
};

/// Expressions in an order in which only unknowns refer to later ones, those of their loop.
struct Expressions {
  std::uint32_t components = 0;
  std::vector<Expression> all;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> outputs;

  /// The least solution. Nothing in a loop is negated, so that sweeps only ever add.
  [[nodiscard]] std::vector<bool> evaluate(const std::vector<bool>& alive) const {
    std::vector<bool> value(all.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool now = evaluate(all[i], value, alive);
        changed |= now != value[i];
        value[i] = now;
      }
    }
    return value;
  }

 private:
  static bool evaluate(const Expression& of, const std::vector<bool>& value, const std::vector<bool>& alive) {
    const auto holds = [&](std::uint32_t operand) { return value[operand]; };
    switch (of.type) {
      case Expression::Type::alive:
        return alive[of.operands.front()];
      case Expression::Type::dead:
        return !alive[of.operands.front()];
      case Expression::Type::unknown:
        return value[of.definition];
      case Expression::Type::all:
        return std::ranges::all_of(of.operands, holds);
      default:
        return std::ranges::any_of(of.operands, holds);
    }
  }
};

/// Makes the same random things as expressions and as a circuit.
class RandomCircuit {
 public:
  explicit RandomCircuit(std::uint64_t seed) : random_(seed, 0), circuit_(add_components()) {
    const std::uint32_t batches = 1 + random_.next_below(5);
    for (std::uint32_t batch = 0; batch < batches; ++batch) {
      if (random_.next_below(3) == 0) add_loop();
      for (std::uint32_t gates = random_.next_below(60); gates != 0; --gates) add_gate(0);
      for (std::uint32_t outputs = random_.next_below(40); outputs != 0; --outputs) add_output();
      circuit_.end_batch();
    }
  }

  [[nodiscard]] const Expressions& expressions() const { return made_; }
  [[nodiscard]] const Circuit& circuit() const { return circuit_; }

 private:
  std::uint32_t add_components() {
    made_.components = 1 + random_.next_below(40);
    return made_.components;
  }

  void add(Expression expression, Node node) {
    made_.all.push_back(std::move(expression));
    nodes_.push_back(node);
  }

  void add_leaf() {
    const std::uint32_t component = random_.next_below(made_.components);
    if (random_.next_below(8) == 0)
      add({Expression::Type::dead, {component}}, circuit_.dead(component));
    else
      add({Expression::Type::alive, {component}}, circuit_.alive(component));
  }

  /// Of expressions from `first` on, where there are any, and of components.
  void add_gate(std::uint32_t first) {
    std::vector<std::uint32_t> operands;
    std::vector<Node> nodes;
    const std::uint32_t most = random_.next_below(10) == 0 ? 12 : 4;
    for (std::uint32_t count = 1 + random_.next_below(most); count != 0; --count) {
      if (first == made_.all.size() || random_.next_below(3) == 0) add_leaf();
      const auto size = static_cast<std::uint32_t>(made_.all.size());
      operands.push_back(first + random_.next_below(size - first));
      nodes.push_back(nodes_[operands.back()]);
    }
    if (random_.next_below(2) == 0)
      add({Expression::Type::all, operands}, circuit_.all(std::span<const Node>(nodes)));
    else
      add({Expression::Type::any, operands}, circuit_.any(std::span<const Node>(nodes)));
  }

  void add_loop() {
    const std::uint32_t count = 1 + random_.next_below(4);
    const Node first_node = circuit_.open_loop(count);
    const auto first = static_cast<std::uint32_t>(made_.all.size());
    for (std::uint32_t i = 0; i < count; ++i) add({Expression::Type::unknown, {}}, first_node + i);
    for (std::uint32_t gates = 1 + random_.next_below(12); gates != 0; --gates) add_gate(first);
    std::vector<Node> definitions;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t definition =
          first + random_.next_below(static_cast<std::uint32_t>(made_.all.size()) - first);
      made_.all[first + i].definition = definition;
      definitions.push_back(nodes_[definition]);
    }
    circuit_.close_loop(first_node, definitions);
  }

  void add_output() {
    if (made_.all.empty()) return;
    const std::uint32_t output = random_.next_below(static_cast<std::uint32_t>(made_.all.size()));
    const std::uint64_t pairs = random_.next_below(4) == 0 ? 1 + random_.next_below(1000) : 1;
    made_.outputs.emplace_back(output, pairs);
    circuit_.add_output(nodes_[output], pairs);
  }

  RandomStream random_;
  Expressions made_;
  Circuit circuit_;
  std::vector<Node> nodes_;  // by expression
};

/// [lane][component]: from all alive to all dead.
inline std::vector<std::vector<bool>> random_faults(std::uint32_t components, std::uint32_t lanes,
                                                    std::uint64_t seed) {
  RandomStream random(seed, 1);
  std::vector<std::vector<bool>> alive(lanes, std::vector<bool>(components));
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    for (std::uint32_t component = 0; component < components; ++component)
      alive[lane][component] = random.next_below(lanes - 1) >= lane;
  return alive;
}

inline std::vector<std::uint64_t> lost_pairs(const Expressions& expressions,
                                             const std::vector<std::vector<bool>>& alive) {
  std::vector<std::uint64_t> lost(alive.size());
  for (std::size_t lane = 0; lane < alive.size(); ++lane) {
    const std::vector<bool> value = expressions.evaluate(alive[lane]);
    for (const auto& [output, pairs] : expressions.outputs) lost[lane] += value[output] ? 0 : pairs;
  }
  return lost;
}

}  // namespace faultline::survival
