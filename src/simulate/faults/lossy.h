// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/routing/relation.h"

namespace faultline {

/// A relation that does not know that some channels of its network are dead: a packet that has come over one
/// is offered nothing, and no terminal sends it again.
class Lossy final : public RoutingRelation {
 public:
  Lossy(const RoutingRelation& base, const FaultSet& dead)
      : RoutingRelation(base.shared_topology()), base_(base), dead_(dead) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_.inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    if (!dead_.failed(state.held)) base_.route(state, options);
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_.tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_.virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return true; }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_.bubble_rings(); }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return base_.is_escape(state, option, vc);
  }
  [[nodiscard]] bool relies_on_escape() const override { return base_.relies_on_escape(); }
  [[nodiscard]] bool sends_again() const override { return base_.sends_again(); }

 private:
  const RoutingRelation& base_;
  const FaultSet& dead_;
};

}  // namespace faultline
