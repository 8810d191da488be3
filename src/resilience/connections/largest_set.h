// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace faultline::survival {

/// An independent set of the greatest weight that was found.
struct LargestSet {
  std::uint64_t weight = 0;
  bool exact = true;  ///< otherwise a heavier one may exist
};

/// Vertices 0 … weights.size() - 1, no edge from one to itself. Branch and bound on each connected component,
/// after twins (vertices with the same neighbours) are merged, pendants folded, and vertices that outweigh
/// their neighbours taken; at most `limit` branchings in all.
[[nodiscard]] LargestSet largest_independent_set(
    const std::vector<std::uint64_t>& weights,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, std::uint64_t limit);

}  // namespace faultline::survival
