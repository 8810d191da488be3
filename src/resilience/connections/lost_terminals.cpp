// SPDX-License-Identifier: Apache-2.0
#include "resilience/connections/lost_terminals.h"

#include <algorithm>

#include "resilience/connections/largest_set.h"

namespace faultline::survival {

void LostTerminals::count(const FaultBlock& block, const Verdicts& verdicts, std::vector<LostCount>& result) {
  result.assign(block.lanes, {});
  const auto is_lost = [](std::uint64_t pairs) { return pairs != 0; };
  if (std::ranges::none_of(verdicts.lost_pairs, is_lost)) return;
  connections_.load(block);
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
    if (is_lost(verdicts.lost_pairs[lane])) result[lane] = count(block.set(lane), lane);
}

LostCount LostTerminals::count(std::span<const std::uint32_t> failed, std::uint32_t lane) {
  connections_.members_left(failed, left_);
  connections_.gaps(lane, gaps_);
  // If the members of a group do not reach each other, only one of them counts.
  std::vector<std::uint64_t> weights(left_.begin(), left_.end());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& [one, other] : gaps_)
    if (one == other)
      weights[one] = std::min<std::uint64_t>(weights[one], 1);
    else if (left_[one] != 0 && left_[other] != 0)
      edges.emplace_back(one, other);
  const LargestSet largest = largest_independent_set(weights, edges, max_branchings);
  // A single terminal also is a set.
  const auto terminals = static_cast<std::uint32_t>(connections_.groups().group_of.size());
  const auto kept = static_cast<std::uint32_t>(std::max<std::uint64_t>(largest.weight, 1));
  return {terminals - kept, largest.exact};
}

}  // namespace faultline::survival
