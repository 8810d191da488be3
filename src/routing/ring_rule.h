// SPDX-License-Identifier: Apache-2.0
// What keeps the rings of a torus free of deadlock.
#pragma once

#include <string_view>

#include "faultline/routing/relation.h"
#include "faultline/routing/switching.h"
#include "faultline/topology/grid.h"

namespace faultline {

enum class RingRule : std::uint8_t {
  none,
  dateline,  ///< two virtual channels: packets that stand above their destination's coordinate, and the
             ///< others
  bubble,    ///< one virtual channel, entered only where two packets fit
};

/// The field `ring_rule`: "auto" is dateline for wormhole and bubble for cut-through switching. A mesh has no
/// rings.
[[nodiscard]] RingRule ring_rule(std::string_view name, Switching switching, const CartesianLabelling& grid);

/// True if every ring is so short that no shortest path takes two of its channels: then no packets can
/// deadlock round a ring.
[[nodiscard]] bool rings_are_trivial(const CartesianLabelling& grid);

/// Of a routing that takes dimensions, or the channels of its escape subrelation, in order.
[[nodiscard]] Claim ring_claim(RingRule rule, const CartesianLabelling& grid, bool minimal);

/// Every ring of a torus, in both directions, on one virtual channel.
[[nodiscard]] std::vector<BubbleRing> bubble_rings_of(const Topology& topology,
                                                      const CartesianLabelling& grid, std::uint8_t vc = 0);
/// Those that this rule needs.
[[nodiscard]] std::vector<BubbleRing> bubble_rings_of(RingRule rule, const Topology& topology,
                                                      const CartesianLabelling& grid);

}  // namespace faultline
