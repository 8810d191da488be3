// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "routing/up_down_order.h"

namespace faultline {

/// A tree in each connected part of a network of two-way links: from a switch one channel up and the other
/// one of its link down.
class SpanningForest {
 public:
  /// `ends`: switches that it connects; it has no branches without them.
  SpanningForest(const Topology& topology, const UpDownOrder& order, const std::vector<SwitchId>& ends);

  /// `has`, by network channel: both channels of its links.
  SpanningForest(const Topology& topology, std::vector<bool> has)
      : topology_(&topology), has_(std::move(has)) {}

  /// Whether a packet that came by `held` may leave by `wanted`: both are of the forest, and not of one link.
  /// These dependencies alone close no cycle.
  [[nodiscard]] bool is_turn(ChannelId held, ChannelId wanted) const {
    return has_[held.index()] && has_[wanted.index()] &&
           topology_->target(held) == topology_->source(wanted) &&
           topology_->link(held) != topology_->link(wanted);
  }
  /// visit(held, wanted)
  template <class Visit>
  void for_each_turn(Visit visit) const {
    for (const SwitchId at : topology_->switches())
      for (const ChannelId held : topology_->inputs(at))
        for (const ChannelId wanted : topology_->outputs(at))
          if (is_of_network(held) && is_of_network(wanted) && is_turn(held, wanted)) visit(held, wanted);
  }
  /// By switch, the channel of the forest towards the nearest of `ends`; invalid at these and where none is
  /// connected.
  [[nodiscard]] std::vector<ChannelId> towards(const std::vector<SwitchId>& ends) const;

 private:
  [[nodiscard]] bool is_of_network(ChannelId channel) const {
    return topology_->role(channel) == ChannelRole::network;
  }

  const Topology* topology_;
  std::vector<bool> has_;  // by network channel
};

}  // namespace faultline
