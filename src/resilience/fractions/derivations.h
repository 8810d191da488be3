// SPDX-License-Identifier: Apache-2.0
// The ways in which requirements fail: a derivation picks, for an AND, one operand that fails and, for an OR,
// a way to fail for every operand, down to components. Its size counts components as often as they are
// picked.
#pragma once

#include <memory>
#include <vector>

#include "faultline/base/random.h"
#include "resilience/circuit/circuit.h"

namespace faultline::survival {

/// Numbers of derivations by size, from size `low` on.
struct SizeCounts {
  std::uint32_t low = 0;
  std::vector<double> counts;

  [[nodiscard]] double at(std::uint32_t size) const {
    return size < low || size - low >= counts.size() ? 0.0 : counts[size - low];
  }
};

/// Immutable once made. For circuits without NOT and without loops (std::logic_error otherwise).
class Derivations {
 public:
  /// Of at most `largest` picks.
  Derivations(const Circuit& requirements, std::uint32_t largest);

  [[nodiscard]] std::uint32_t largest() const { return largest_; }
  [[nodiscard]] const Circuit& circuit() const { return circuit_; }
  [[nodiscard]] const SizeCounts& of(Node node) const { return counts_[node]; }

  /// Appends the components (repeated as often as they are picked) of a uniformly drawn derivation of `node`
  /// of `size`.
  void draw(Node node, std::uint32_t size, RandomStream& random,
            std::vector<std::uint32_t>& components) const;

  /// Counts the derivations that a set of failed components contains. One thread at a time each.
  class Contained {
   public:
    explicit Contained(const Derivations& derivations);
    [[nodiscard]] double count(const std::vector<std::uint32_t>& failed);

   private:
    void fail(Node node, SizeCounts counts);
    const Derivations& derivations_;
    std::vector<SizeCounts> failing_;              // by node; no counts: it does not fail
    std::vector<std::uint32_t> failing_operands_;  // by node
    std::vector<Node> touched_, queue_;
  };

 private:
  [[nodiscard]] SizeCounts sum(const SizeCounts& a, const SizeCounts& b) const;
  [[nodiscard]] SizeCounts product(const SizeCounts& a, const SizeCounts& b) const;
  void draw_all(std::span<const Node> operands, std::uint32_t size, RandomStream& random,
                std::vector<std::uint32_t>& components) const;

  const Circuit& circuit_;
  std::uint32_t largest_;
  std::vector<SizeCounts> counts_;  // by node
  std::vector<std::uint32_t> reader_offsets_;
  std::vector<Node> readers_;  // gates that read a node, CSR
  std::vector<bool> is_output_;
};

}  // namespace faultline::survival
