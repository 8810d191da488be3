// SPDX-License-Identifier: Apache-2.0
// Which parts of a network have failed.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// A failed link fails its channels, a failed switch all its input and output channels, a failed terminal its
/// injection and ejection channels.
class FaultSet {
 public:
  explicit FaultSet(const Topology& topology);

  /// std::out_of_range for a component that the topology does not have.
  void fail(ChannelId channel);
  void fail(const Topology& topology, LinkId link);
  void fail(const Topology& topology, SwitchId at);
  void fail(const Topology& topology, TerminalId terminal);

  [[nodiscard]] bool empty() const { return failed_count_ == 0 && failed_switches_ == 0; }
  [[nodiscard]] bool failed(ChannelId channel) const { return channels_[channel.index()]; }
  /// True where there are none.
  [[nodiscard]] bool all_failed(std::span<const ChannelId> channels) const {
    return std::ranges::all_of(channels, [&](ChannelId channel) { return failed(channel); });
  }
  [[nodiscard]] bool failed(SwitchId at) const { return switches_[at.index()]; }
  [[nodiscard]] std::size_t failed_channel_count() const { return failed_count_; }
  /// Throws Error(field) for a network with another number of channels or switches than the one it was made
  /// for.
  void require_of(const Topology& topology, std::string_view field) const;

 private:
  std::vector<bool> channels_, switches_;
  std::size_t failed_count_ = 0, failed_switches_ = 0;
};

}  // namespace faultline
#pragma GCC visibility pop
