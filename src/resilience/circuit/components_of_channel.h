// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faultline/fault/components.h"
#include "faultline/routing/kind.h"

namespace faultline::survival {

/// A component that may fail, by its number in FaultComponents.
using Component = std::uint32_t;

/// Whether the component is the switch that a terminal's channel connects it to.
[[nodiscard]] bool is_attached_switch(const FaultComponents& components, Component component,
                                      ChannelId channel);

/// The components that take a channel out of use, each by itself, ascending.
class ComponentsOfChannel {
 public:
  /// With any_path_two_way a channel is out of use with every channel of its link. `without_own` leaves only
  /// the switches that terminals are attached to in the lists of their channels.
  ComponentsOfChannel(const FaultComponents& components, Survival survival, bool without_own = false);

  [[nodiscard]] std::span<const Component> of(ChannelId channel) const {
    return std::span(components_)
        .subspan(offsets_[channel.index()], offsets_[channel.index() + 1] - offsets_[channel.index()]);
  }
  /// How many components there are in all.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// True if terminals that are attached to the same switches may still lose their channels to different
  /// components, so that one cannot stand for another.
  [[nodiscard]] bool own_to_terminals() const { return own_to_terminals_; }

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<Component> components_;
  std::size_t count_;
  bool own_to_terminals_ = false;
};

}  // namespace faultline::survival
