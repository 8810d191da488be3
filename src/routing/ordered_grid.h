// SPDX-License-Identifier: Apache-2.0
// Deterministic routing of meshes, tori and hypercubes: dimensions, or directions, one after the other.
#pragma once

#include "routing/grid_relation.h"
#include "routing/ring_rule.h"

namespace faultline {

/// The tag says in which ring the packet is and, plus 1, its dateline class there, which it keeps all round
/// that ring; 0 after injection. `Order` says for_each_way(at, to, visit(dimension, direction)).
template <class Order>
class OrderedGridRelation : public GridRelation {
 public:
  OrderedGridRelation(TopologyPtr topology, std::string_view who, std::string_view rule, Switching switching)
      : GridRelation(std::move(topology), who), rule_(ring_rule(rule, switching, this->grid())) {}

  [[nodiscard]] std::uint32_t virtual_channels() const final { return rule_ == RingRule::dateline ? 2 : 1; }
  [[nodiscard]] std::uint64_t tag_count() const final {
    return rule_ == RingRule::dateline ? Tag{4} * this->grid().dimensions() + 1 : 1;
  }
  [[nodiscard]] bool offers_output_bits() const final {
    return rule_ != RingRule::dateline && this->fits_output_bits();
  }
  [[nodiscard]] Claim claim() const final {
    const bool no_rings =
        !this->grid().wraps() || rings_are_trivial(this->grid()) || rule_ == RingRule::dateline;
    return {.minimal = true,
            .deadlock_free = no_rings,
            .deadlock_free_cut_through = no_rings || rule_ == RingRule::bubble,
            .tolerates = {}};
  }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const final {
    return rule_ == RingRule::bubble ? bubble_rings_of(this->topology(), this->grid())
                                     : std::vector<BubbleRing>{};
  }

 private:
  void route_towards(SwitchId to, const RouteState& state, RouteOptions& options) const final {
    static_cast<const Order&>(*this).for_each_way(state.at, to,
                                                  [&](std::uint32_t dimension, Direction direction) {
                                                    step(to, state, dimension, direction, options);
                                                  });
  }
  [[nodiscard]] std::uint64_t bits_towards(SwitchId to, SwitchId at) const final {
    std::uint64_t found = 0;
    static_cast<const Order&>(*this).for_each_way(at, to, [&](std::uint32_t dimension, Direction direction) {
      found |= this->bits(this->grid().output(at, dimension, direction), this->all_vcs());
    });
    return found;
  }

  void step(SwitchId to, const RouteState& state, std::uint32_t dimension, Direction direction,
            RouteOptions& options) const {
    const ChannelId channel = this->grid().output(state.at, dimension, direction);
    if (rule_ != RingRule::dateline) {
      options.push_back({.channel = channel});
      return;
    }
    const Tag ring = Tag{2} * dimension + static_cast<Tag>(direction);
    const bool in_ring = state.tag != 0 && (state.tag - 1) / 2 == ring;
    const std::uint32_t dateline =
        in_ring ? (state.tag - 1) % 2 : this->dateline_class(state.at, to, dimension);
    options.push_back({.channel = channel, .vcs = 1U << dateline, .tag = 1 + 2 * ring + dateline});
  }

  RingRule rule_;
};

}  // namespace faultline
