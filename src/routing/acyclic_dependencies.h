// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/channel_order.h"
#include "routing/path_layers.h"

namespace faultline {

/// Dependencies of channels on each other, with how often each is used, that never close a cycle: an order of
/// the channels is kept.
class AcyclicDependencies {
 public:
  /// `uses`: by dependency (Dependencies::of). `order`: all network channels, in the order in which they are
  /// kept as far as `uses` allow; the fewer later dependencies it contradicts, the faster they are added.
  /// Absent if `uses` close a cycle.
  [[nodiscard]] static std::optional<AcyclicDependencies> of(const Topology& topology,
                                                             std::vector<std::uint32_t> uses,
                                                             const std::vector<ChannelId>& order);

  /// Whether one more use would close no cycle, as far as that is known without a search.
  [[nodiscard]] bool certainly_allows(ChannelId held, ChannelId wanted) const {
    return uses(held, wanted) != 0 || order_.is_before(held, wanted);
  }
  /// One more use. False, and nothing is changed, if it would close a cycle.
  bool add(ChannelId held, ChannelId wanted);
  /// One less.
  void remove(ChannelId held, ChannelId wanted) { --uses_[dependencies_.of(held, wanted)]; }
  [[nodiscard]] std::uint32_t uses(ChannelId held, ChannelId wanted) const {
    return uses_[dependencies_.of(held, wanted)];
  }
  /// Channels of which each depends on the next, from `first` to `last`; empty if there are none.
  [[nodiscard]] std::vector<ChannelId> chain(ChannelId first, ChannelId last) const;

 private:
  AcyclicDependencies(const Topology& topology, std::vector<std::uint32_t> uses)
      : topology_(&topology),
        dependencies_(topology),
        uses_(std::move(uses)),
        order_(topology.network_channel_count()) {}

  bool sort(const std::vector<ChannelId>& order);

  /// visit(channel) for those that `channel` depends on, or that depend on it.
  template <class Visit>
  void for_each_wanted(ChannelId channel, Visit visit) const {
    for (const ChannelId next : topology_->outputs(topology_->target(channel)))
      if (topology_->role(next) == ChannelRole::network && uses(channel, next) != 0) visit(next);
  }
  template <class Visit>
  void for_each_holder(ChannelId channel, Visit visit) const {
    for (const ChannelId before : topology_->inputs(topology_->source(channel)))
      if (topology_->role(before) == ChannelRole::network && uses(before, channel) != 0) visit(before);
  }

  const Topology* topology_;
  Dependencies dependencies_;
  std::vector<std::uint32_t> uses_;  // by dependency
  ChannelOrder order_;
};

}  // namespace faultline
