// SPDX-License-Identifier: Apache-2.0
// The survival circuit: which pairs survive, as a function of which components are alive.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace faultline::survival {

using Node = std::uint32_t;

/// A hash-consed graph of gates: equal gates are one node, and a node comes after those it reads. Nodes of a
/// cycle are `unknowns`: leaves that stand for a later node, meant as the least solution of all definitions
/// of their loop.
class Circuit {
 public:
  enum class Gate : std::uint8_t { zero, one, alive, dead, unknown, all, any };
  static constexpr Node zero = 0;
  static constexpr Node one = 1;

  explicit Circuit(std::uint32_t components);

  [[nodiscard]] Node alive(std::uint32_t component) const { return 2 + component; }
  [[nodiscard]] Node dead(std::uint32_t component);
  /// True if each (one) of the operands is. Operands keep their order, so that chains with equal beginnings
  /// share nodes.
  [[nodiscard]] Node all(std::span<const Node> operands);
  [[nodiscard]] Node any(std::span<const Node> operands);
  [[nodiscard]] Node all(Node a, Node b) { return all(std::initializer_list<Node>{a, b}); }
  [[nodiscard]] Node all(std::initializer_list<Node> operands) {
    return all(std::span(operands.begin(), operands.size()));
  }

  /// Unknowns first … first + count - 1, to be defined together before others are opened.
  [[nodiscard]] Node open_loop(std::uint32_t count);
  void close_loop(Node first, std::span<const Node> definitions);

  struct Output {
    Node node;
    std::uint64_t pairs;  ///< that survive exactly if the node is true
  };
  void add_output(Node node, std::uint64_t pairs);
  /// Rows of Attachments: where the node is false, (count of `left`) * (count of `right`) - (count of `self`)
  /// pairs fail.
  struct PatternOutput {
    Node node;
    std::uint32_t left, right, self;
  };
  void add_output(const PatternOutput& output) { pattern_outputs_.push_back(output); }
  /// An output for each factor of `node`, counted as one pair.
  void require(Node node);
  /// The node's value itself is wanted.
  void keep(Node node) { kept_.push_back(node); }
  /// Marks the nodes and outputs since the last call as best evaluated together.
  void end_batch() {
    batches_.push_back(
        {static_cast<Node>(node_count()), outputs_.size(), pattern_outputs_.size(), kept_.size()});
  }
  struct Batch {
    Node nodes_end;
    std::size_t outputs_end;
    std::size_t pattern_outputs_end;
    std::size_t kept_end;
  };

  struct Loop {
    Node first = 0;  ///< its first unknown; nodes from here to `end` belong to it if they read one
    Node end = 0;
    std::vector<Node> definitions;
  };

  [[nodiscard]] std::uint32_t components() const { return components_; }
  [[nodiscard]] std::size_t node_count() const { return gates_.size(); }
  [[nodiscard]] Gate gate(Node node) const { return gates_[node]; }
  /// Operands of all and any; the component of alive and dead.
  [[nodiscard]] std::span<const Node> operands(Node node) const {
    return std::span(operands_).subspan(offsets_[node], offsets_[node + 1] - offsets_[node]);
  }
  [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<PatternOutput>& pattern_outputs() const { return pattern_outputs_; }
  [[nodiscard]] const std::vector<Node>& kept() const { return kept_; }
  [[nodiscard]] const std::vector<Loop>& loops() const { return loops_; }
  [[nodiscard]] const std::vector<Batch>& batches() const { return batches_; }

 private:
  Node add(Gate gate, std::span<const Node> operands);
  Node find_or_add(Gate gate, std::span<const Node> operands);
  [[nodiscard]] std::uint32_t hash(Gate gate, std::span<const Node> operands) const;
  [[nodiscard]] bool equal(Node node, Gate gate, std::span<const Node> operands) const;
  void grow_table();
  void append_factors(Node node, std::vector<Node>& factors) const;
  Node any_of_distinct(std::vector<Node> terms);
  Node without(Node node, const std::vector<Node>& factors);

  std::uint32_t components_;
  std::vector<Gate> gates_;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<Node> operands_;
  struct Entry {
    Node node = zero;  ///< zero: empty
    std::uint32_t hash = 0;
  };
  std::vector<Entry> table_;  // open addressing
  std::size_t table_used_ = 0;
  std::vector<Output> outputs_;
  std::unordered_map<Node, std::size_t> output_of_;
  std::vector<PatternOutput> pattern_outputs_;
  std::vector<Node> kept_;
  std::vector<Loop> loops_;
  std::vector<Batch> batches_;
};

}  // namespace faultline::survival
