// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"

namespace faultline {

/// A total order of the switches by which every network channel goes up (to an earlier switch) or down.
class UpDownOrder {
 public:
  /// On two-way links: breadth first over the usable links, from a root of each connected component, the
  /// switch that is highest in the drawing and then has most links. On one-way links without a cycle: along
  /// all channels, failed ones included, so that every channel goes down. Throws Error("routing") if neither
  /// applies. A link is usable while all its channels are healthy.
  UpDownOrder(const Topology& topology, const FaultSet& known);

  /// `known`, and the other channels of the same links.
  [[nodiscard]] const FaultSet& unusable() const { return unusable_; }
  [[nodiscard]] bool usable(ChannelId channel) const { return !unusable_.failed(channel); }
  [[nodiscard]] bool goes_up(const Topology& topology, ChannelId channel) const {
    return rank_[topology.target(channel).index()] < rank_[topology.source(channel).index()];
  }

 private:
  void rank_breadth_first(const Topology& topology);
  void rank_along_channels(const Topology& topology);

  FaultSet unusable_;
  std::vector<std::uint32_t> rank_;  ///< by switch
};

}  // namespace faultline
