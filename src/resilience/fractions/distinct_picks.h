// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "resilience/circuit/circuit.h"

namespace faultline::survival {

/// A lower bound of the number of different components in a derivation (derivations.h) of a given size, which
/// may pick some of them repeatedly. Operands of an OR that share no component pick different ones; of those
/// that do, the one that picks most counts.
class DistinctPicks {
 public:
  /// Sizes from `largest` on (at least 1) count as one. The circuit has neither NOT nor loops.
  DistinctPicks(const Circuit& requirements, std::uint32_t largest);

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// `none` if there is no derivation of the size; for `largest`, of that size or more.
  [[nodiscard]] std::uint32_t fewest(Node node, std::uint32_t size) const {
    return size < by_size_[node].size() ? by_size_[node][size] : none;
  }
  /// The largest size of a derivation of an output that may pick at most that many components; `largest` also
  /// stands for more.
  [[nodiscard]] std::uint32_t largest_of(std::uint32_t components) const;

 private:
  using BySize = std::vector<std::uint32_t>;
  [[nodiscard]] BySize together(const BySize& a, const BySize& b, bool apart) const;
  [[nodiscard]] BySize of_any(std::span<const Node> operands);
  const std::vector<std::uint32_t>& support(Node node);

  const Circuit& circuit_;
  std::uint32_t largest_;
  std::vector<BySize> by_size_;  // by node
  std::vector<std::vector<std::uint32_t>>
      support_;  // by node, components in rising order; empty: not needed yet
};

}  // namespace faultline::survival
