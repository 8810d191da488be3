// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
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
  void remove(ChannelId held, ChannelId wanted) {
    if (--uses_[dependencies_.of(held, wanted)] == 0) ++removals_;
  }
  [[nodiscard]] std::uint32_t uses(ChannelId held, ChannelId wanted) const {
    return uses_[dependencies_.of(held, wanted)];
  }
  /// Channels of which each depends on the next, from `first` to `last`; empty if there are none.
  [[nodiscard]] std::vector<ChannelId> chain(ChannelId first, ChannelId last) const;
  /// Channels that searches for cycles have examined so far.
  [[nodiscard]] std::uint64_t examined() const { return order_.examined(); }

 private:
  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

  AcyclicDependencies(const Topology& topology, std::vector<std::uint32_t> uses)
      : topology_(&topology),
        dependencies_(topology),
        uses_(std::move(uses)),
        refused_after_(dependencies_.count(), never),
        order_(topology.network_channel_count()) {}

  bool sort(const std::vector<ChannelId>& order);

  /// visit(channel) for those that `channel` depends on, or that depend on it.
  template <class Visit>
  void for_each_wanted(ChannelId channel, Visit visit) const {
    const auto outputs = topology_->outputs(topology_->target(channel));
    const std::uint32_t* const uses = &uses_[dependencies_.first(channel)];
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (uses[i] != 0) visit(outputs[i]);  // none are counted of an ejection channel
  }
  template <class Visit>
  void for_each_holder(ChannelId channel, Visit visit) const {
    for (const ChannelId before : topology_->inputs(topology_->source(channel)))
      if (topology_->role(before) == ChannelRole::network && uses(before, channel) != 0) visit(before);
  }

  const Topology* topology_;
  Dependencies dependencies_;
  std::vector<std::uint32_t> uses_;  // by dependency
  std::uint32_t removals_ = 0;       // of dependencies, not of uses
  /// By dependency: how many removals there had been when it was last refused. What closes a cycle does so
  /// until one is removed, and completing tables asks for the same again and again.
  std::vector<std::uint32_t> refused_after_;
  ChannelOrder order_;
};

/// By dependency: those that close a cycle with ones that are used more often, or as often and by channels
/// that come first in `order`. The others close none.
[[nodiscard]] std::vector<bool> closing_cycles(const Topology& topology,
                                               const std::vector<std::uint32_t>& uses,
                                               const std::vector<ChannelId>& order);

}  // namespace faultline
