// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace faultline::survival {

/// A set without an edge inside, of the greatest weight that was found.
struct LargestSet {
  std::uint64_t weight = 0;
  bool exact = true;  ///< otherwise there may be a heavier one
};

/// Vertices 0 … weights.size() - 1, none of them an end of an edge to itself. Branch and bound on each
/// connected piece, after twins (vertices with the same neighbours) are joined, pendants folded, and vertices
/// that outweigh their neighbours taken; at most `limit` branchings in all.
[[nodiscard]] LargestSet largest_independent_set(
    const std::vector<std::uint64_t>& weights,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, std::uint64_t limit);

}  // namespace faultline::survival
