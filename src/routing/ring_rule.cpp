// SPDX-License-Identifier: Apache-2.0
#include "routing/ring_rule.h"

namespace faultline {

RingRule ring_rule(std::string_view name, Switching switching, const CartesianLabelling& grid) {
  if (!grid.wraps() || name == "none") return RingRule::none;
  if (name == "auto") return switching == Switching::wormhole ? RingRule::dateline : RingRule::bubble;
  return name == "dateline" ? RingRule::dateline : RingRule::bubble;
}

bool rings_are_trivial(const CartesianLabelling& grid) {
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    if (grid.wraps() && grid.radix(dimension) > 3) return false;
  return true;
}

Claim ring_claim(RingRule rule, const CartesianLabelling& grid, bool minimal) {
  const bool no_rings = rings_are_trivial(grid) || rule == RingRule::dateline;
  return {.minimal = minimal,
          .deadlock_free = no_rings,
          .deadlock_free_cut_through = no_rings || rule == RingRule::bubble,
          .tolerates = {}};
}

std::vector<BubbleRing> bubble_rings_of(const Topology& topology, const CartesianLabelling& grid,
                                        std::uint8_t vc) {
  std::vector<BubbleRing> rings;
  for (const SwitchId start : topology.switches())
    for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
      if (grid.coordinate(start, dimension) != 0) continue;
      for (const Direction direction : {Direction::plus, Direction::minus}) {
        BubbleRing& ring = rings.emplace_back();
        for (SwitchId at = start; ring.empty() || at != start; at = topology.target(ring.back().channel))
          ring.push_back({grid.output(at, dimension, direction), vc});
      }
    }
  return rings;
}

std::vector<BubbleRing> bubble_rings_of(RingRule rule, const Topology& topology,
                                        const CartesianLabelling& grid) {
  return rule == RingRule::bubble ? bubble_rings_of(topology, grid) : std::vector<BubbleRing>{};
}

}  // namespace faultline
