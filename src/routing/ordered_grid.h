// SPDX-License-Identifier: Apache-2.0
// Deterministic routing of meshes, tori and hypercubes: dimensions, or directions, one after the other.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "routing/grid_relation.h"
#include "routing/nearer_outputs.h"
#include "routing/ring_rule.h"

namespace faultline {

/// The tag says in which dimension the packet is and, plus 1, its dateline class there, which it keeps all
/// round that ring; 0 after injection. `Order` says for_each_way(at, to, visit(dimension, direction)), all in
/// one dimension, and the same by looking it up: first_of(outputs that bring the packet nearer).
template <class Order>
class OrderedGridRelation : public GridRelation {
 public:
  OrderedGridRelation(TopologyPtr topology, std::string_view who, std::string_view rule, Switching switching)
      : GridRelation(std::move(topology), who), rule_(ring_rule(rule, switching, this->grid())) {
    if (!this->fits_output_sets()) return;
    nearer_.emplace(this->topology(), this->grid(), 1, Order::ties);
    if (rule_ == RingRule::dateline) find_dimensions();
  }

  [[nodiscard]] std::uint32_t virtual_channels() const final { return rule_ == RingRule::dateline ? 2 : 1; }
  [[nodiscard]] std::uint64_t tag_count() const final {
    return rule_ == RingRule::dateline ? Tag{2} * this->grid().dimensions() + 1 : 1;
  }
  [[nodiscard]] bool offers_output_bits() const final {
    return rule_ != RingRule::dateline && this->fits_output_bits();
  }
  [[nodiscard]] bool offers_output_sets() const final {
    return rule_ == RingRule::dateline && this->fits_output_sets();
  }
  [[nodiscard]] std::uint32_t relative_positions() const final { return this->differences(); }
  [[nodiscard]] Claim claim() const final { return ring_claim(rule_, this->grid(), true); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const final {
    return bubble_rings_of(rule_, this->topology(), this->grid());
  }

 private:
  void route_towards(SwitchId to, const RouteState& state, RouteOptions& options) const final {
    static_cast<const Order&>(*this).for_each_way(state.at, to,
                                                  [&](std::uint32_t dimension, Direction direction) {
                                                    step(to, state, dimension, direction, options);
                                                  });
  }
  [[nodiscard]] std::uint64_t bits_towards(SwitchId to, SwitchId at) const final {
    return Order::first_of(*nearer_, at, nearer_->all(at, to));
  }
  [[nodiscard]] OutputSets sets_towards(SwitchId to, SwitchId at, Tag tag) const final {
    const std::uint64_t outputs = bits_towards(to, at);
    const auto position = static_cast<std::size_t>(std::countr_zero(outputs));
    const std::uint32_t dimension = dimension_of_[at.index() * this->max_outputs() + position],
                        dateline = ring_class(at, to, dimension, tag);
    return {{{{outputs, 1U << dateline}}}, tag_in(dimension, dateline)};
  }
  void find_dimensions() {
    dimension_of_.resize(this->topology().switch_count() * this->max_outputs());
    for (const SwitchId at : this->topology().switches())
      for (std::uint32_t dimension = 0; dimension < this->grid().dimensions(); ++dimension)
        for (const Direction direction : {Direction::plus, Direction::minus}) {
          const ChannelId channel = this->grid().output(at, dimension, direction);
          const auto position = static_cast<std::size_t>(std::countr_zero(this->output_bit(channel)));
          dimension_of_[at.index() * this->max_outputs() + position] = static_cast<std::uint8_t>(dimension);
        }
  }

  void step(SwitchId to, const RouteState& state, std::uint32_t dimension, Direction direction,
            RouteOptions& options) const {
    const ChannelId channel = this->grid().output(state.at, dimension, direction);
    if (rule_ != RingRule::dateline) {
      options.push_back({.channel = channel});
      return;
    }
    const std::uint32_t dateline = ring_class(state.at, to, dimension, state.tag);
    options.push_back({.channel = channel, .vcs = 1U << dateline, .tag = tag_in(dimension, dateline)});
  }
  /// On a shortest path a packet does not turn back, so that a ring's direction need not be in the tag.
  [[nodiscard]] std::uint32_t ring_class(SwitchId at, SwitchId to, std::uint32_t dimension, Tag tag) const {
    const Tag fresh = tag_in(dimension, this->dateline_class(at, to, dimension));
    const bool in_ring = (tag + 1) / 2 == (fresh + 1) / 2;
    return static_cast<std::uint32_t>((in_ring ? tag : fresh) + 1) % 2;
  }
  [[nodiscard]] static Tag tag_in(std::uint32_t dimension, std::uint32_t dateline) {
    return 1 + Tag{2} * dimension + dateline;
  }

  RingRule rule_;
  std::optional<NearerOutputs> nearer_;  ///< where outputs fit into a word
  // By switch and position of the output, where there are datelines:
  std::vector<std::uint8_t> dimension_of_;
};

}  // namespace faultline
