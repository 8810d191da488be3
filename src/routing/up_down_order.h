// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "faultline/fault/fault_set.h"

namespace faultline {

/// The channels of `known`, and the others of their links.
[[nodiscard]] FaultSet with_whole_links(const Topology& topology, const FaultSet& known);

/// A total order of the switches by which every network channel goes up (to an earlier switch) or down.
class UpDownOrder {
 public:
  /// On two-way links: breadth first over the usable links, from a root of each connected component, the
  /// switch that is highest in the drawing and then has most links. On one-way links without a cycle: along
  /// all channels, failed ones included, so that every channel goes down. Throws Error("routing") if neither
  /// applies, in the name of `routing`. A link is usable while all its channels are healthy. `first`, if
  /// given, is the root of its component.
  UpDownOrder(const Topology& topology, const FaultSet& known, std::string_view routing, SwitchId first = {});

  /// with_whole_links()
  [[nodiscard]] const FaultSet& unusable() const { return unusable_; }
  [[nodiscard]] bool usable(ChannelId channel) const { return !unusable_.failed(channel); }
  /// The root is first.
  [[nodiscard]] std::uint32_t rank(SwitchId at) const { return rank_[at.index()]; }
  [[nodiscard]] bool is_above(SwitchId one, SwitchId other) const { return rank(one) < rank(other); }
  [[nodiscard]] bool goes_up(const Topology& topology, ChannelId channel) const {
    return is_above(topology.target(channel), topology.source(channel));
  }

 private:
  void rank_breadth_first(const Topology& topology, SwitchId first);
  /// False where channels form a cycle.
  [[nodiscard]] bool rank_along_channels(const Topology& topology);

  FaultSet unusable_;
  std::vector<std::uint32_t> rank_;  ///< by switch
};

/// Network channels in the order in which most paths take them: away from the switches `ends`, and back.
/// Switches that are as far from them are told apart by their rank.
[[nodiscard]] std::vector<ChannelId> channels_up_and_down(const Topology& topology, const UpDownOrder& order,
                                                          const std::vector<SwitchId>& ends);

}  // namespace faultline
