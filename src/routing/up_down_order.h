// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"

namespace faultline {

/// A total order of the switches by which every network channel goes up (to an earlier switch) or down.
class UpDownOrder {
 public:
  /// On two-way links: breadth first from a root of each connected component, the switch that is highest in
  /// the drawing and then has most links. On one-way links without a cycle: along the channels, so that every
  /// channel goes down. Throws Error("routing") if neither applies. A link counts only while all its channels
  /// are healthy.
  UpDownOrder(const Topology& topology, const FaultSet& known);

  [[nodiscard]] bool usable(ChannelId channel) const { return usable_[channel.index()]; }
  [[nodiscard]] bool goes_up(const Topology& topology, ChannelId channel) const {
    return rank_[topology.target(channel).index()] < rank_[topology.source(channel).index()];
  }

 private:
  void rank_breadth_first(const Topology& topology);
  void rank_along_channels(const Topology& topology);

  std::vector<bool> usable_;         ///< by channel
  std::vector<std::uint32_t> rank_;  ///< by switch
};

}  // namespace faultline
