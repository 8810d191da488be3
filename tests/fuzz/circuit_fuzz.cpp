// SPDX-License-Identifier: Apache-2.0
// Random circuits on random faults: every kernel counts what a plain evaluation of the expressions counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "faultline/base/random.h"
#include "resilience/circuit.h"
#include "resilience/fault_block.h"
#include "resilience/kernels/kernel.h"
#include "resilience/program.h"

namespace faultline::survival {
namespace {

constexpr std::uint32_t lanes = 512;

struct Expression {
  enum class Kind { alive, dead, unknown, all, any } kind = Kind::alive;
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
    switch (of.kind) {
      case Expression::Kind::alive:
        return alive[of.operands.front()];
      case Expression::Kind::dead:
        return !alive[of.operands.front()];
      case Expression::Kind::unknown:
        return value[of.definition];
      case Expression::Kind::all:
        return std::ranges::all_of(of.operands, holds);
      default:
        return std::ranges::any_of(of.operands, holds);
    }
  }
};

/// Makes the same random things as expressions and as a circuit.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed, 0), circuit_(add_components()) {
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
      add({Expression::Kind::dead, {component}}, circuit_.dead(component));
    else
      add({Expression::Kind::alive, {component}}, circuit_.alive(component));
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
      add({Expression::Kind::all, operands}, circuit_.all(std::span<const Node>(nodes)));
    else
      add({Expression::Kind::any, operands}, circuit_.any(std::span<const Node>(nodes)));
  }

  void add_loop() {
    const std::uint32_t count = 1 + random_.next_below(4);
    const Node first_node = circuit_.open_loop(count);
    const auto first = static_cast<std::uint32_t>(made_.all.size());
    for (std::uint32_t i = 0; i < count; ++i) add({Expression::Kind::unknown, {}}, first_node + i);
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
std::vector<std::vector<bool>> random_faults(std::uint32_t components, std::uint64_t seed) {
  RandomStream random(seed, 1);
  std::vector<std::vector<bool>> alive(lanes, std::vector<bool>(components));
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    for (std::uint32_t component = 0; component < components; ++component)
      alive[lane][component] = random.next_below(lanes - 1) >= lane;
  return alive;
}

std::vector<std::uint64_t> lost_pairs(const Expressions& expressions,
                                      const std::vector<std::vector<bool>>& alive) {
  std::vector<std::uint64_t> lost(alive.size());
  for (std::size_t lane = 0; lane < alive.size(); ++lane) {
    const std::vector<bool> value = expressions.evaluate(alive[lane]);
    for (const auto& [output, pairs] : expressions.outputs) lost[lane] += value[output] ? 0 : pairs;
  }
  return lost;
}

/// Pairs lost by lane; not counting: 1 where any is.
std::vector<std::uint64_t> run(const Kernel& kernel, const Program& program,
                               std::span<const std::vector<bool>> alive, bool counting) {
  Rows values(program.slots, kernel.words), intact(1, kernel.words),
      lost(Kernel::counter_planes, kernel.words);
  std::fill_n(values.data(), (std::size_t{program.components} + 1) * kernel.words,
              std::numeric_limits<std::uint64_t>::max());
  for (std::size_t lane = 0; lane < alive.size(); ++lane)
    for (std::uint32_t component = 0; component < program.components; ++component)
      if (!alive[lane][component]) values.row(component)[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
  std::fill_n(intact.data(), kernel.words, std::numeric_limits<std::uint64_t>::max());
  std::fill_n(lost.data(), std::size_t{Kernel::counter_planes} * kernel.words, 0);
  kernel.run({program.code.data(), program.tails.data(), program.sections.data(), program.sections.size(),
              program.pairs.data()},
             {.values = values.data(),
              .intact = intact.data(),
              .lost = counting ? lost.data() : nullptr,
              .first_row_slot = 0,
              .counts = nullptr,
              .self_counts = nullptr,
              .lost_by_lane = nullptr});
  std::vector<std::uint64_t> result(alive.size());
  for (std::size_t lane = 0; lane < alive.size(); ++lane) {
    const auto bit = [&](const std::uint64_t* row) { return row[lane / 64] >> (lane % 64) & 1; };
    if (!counting) result[lane] = bit(intact.row(0)) != 0 ? 0 : 1;
    for (std::uint32_t plane = 0; counting && plane < Kernel::counter_planes; ++plane)
      result[lane] += bit(lost.row(plane)) << plane;
    if (counting) result[lane] += program.pairs_never_alive;
  }
  return result;
}

TEST(RandomCircuits, EveryKernelCountsWhatTheExpressionsSay) {
  std::size_t failing = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Maker maker(seed);
    const Program program = lower(maker.circuit());
    const auto alive = random_faults(maker.expressions().components, seed);
    const std::vector<std::uint64_t> expected = lost_pairs(maker.expressions(), alive);
    failing += static_cast<std::size_t>(
        std::ranges::count_if(expected, [](std::uint64_t lost) { return lost != 0; }));
    for (const Kernel* kernel : kernels()) {
      if (!kernel->available()) continue;
      const std::size_t width = 64 * std::size_t{kernel->words};
      for (std::size_t first = 0; first < lanes; first += width) {
        const std::span block = std::span(alive).subspan(first, std::min<std::size_t>(width, lanes - first));
        const std::vector<std::uint64_t> here(
            expected.begin() + static_cast<std::ptrdiff_t>(first),
            expected.begin() + static_cast<std::ptrdiff_t>(first + block.size()));
        ASSERT_EQ(run(*kernel, program, block, true), here) << "seed " << seed << ", kernel " << kernel->name;
        std::vector<std::uint64_t> broken;
        for (const std::uint64_t lost : here) broken.push_back(lost > program.pairs_never_alive ? 1 : 0);
        ASSERT_EQ(run(*kernel, program, block, false), broken)
            << "seed " << seed << ", kernel " << kernel->name;
      }
    }
  }
  EXPECT_GT(failing, std::size_t{400} * lanes / 4) << "too little fails for this to say anything";
}

}  // namespace
}  // namespace faultline::survival
