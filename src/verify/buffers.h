// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/routing/relation.h"

namespace faultline {

/// The virtual channels of the network channels, numbered channel * virtual channels + vc. A packet holds
/// some and asks for others; terminal channels block no packet.
class Buffers {
 public:
  explicit Buffers(const RoutingRelation& relation)
      : topology_(relation.topology()), vcs_(relation.virtual_channels()) {}

  [[nodiscard]] std::size_t count() const { return topology_.network_channel_count() * vcs_; }
  [[nodiscard]] std::uint32_t number(ChannelId channel, std::uint8_t vc) const {
    return channel.value() * vcs_ + vc;
  }
  [[nodiscard]] VirtualChannel at(std::uint32_t buffer) const {
    return {ChannelId(buffer / vcs_), static_cast<std::uint8_t>(buffer % vcs_)};
  }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] std::uint32_t virtual_channels() const { return vcs_; }

 private:
  const Topology& topology_;
  std::uint32_t vcs_;
};

}  // namespace faultline
