// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The options, tags, virtual channels, escapes and rings of `base`, which must outlive it. What a base knows
/// beyond its options (claims, remarks, output bits, plans) is not passed on: a relation that changes options
/// may not keep it.
class BasedRelation : public RoutingRelation {
 public:
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_.inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override { base_.route(state, options); }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_.tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_.virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return base_.reads_held_channel(); }
  [[nodiscard]] bool always_progresses() const override { return base_.always_progresses(); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_.bubble_rings(); }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return base_.is_escape(state, option, vc);
  }
  [[nodiscard]] bool relies_on_escape() const override { return base_.relies_on_escape(); }
  [[nodiscard]] bool sends_again() const override { return base_.sends_again(); }

 protected:
  explicit BasedRelation(const RoutingRelation& base)
      : RoutingRelation(base.shared_topology()), base_(base) {}
  [[nodiscard]] const RoutingRelation& base() const { return base_; }

 private:
  const RoutingRelation& base_;
};

}  // namespace faultline
#pragma GCC visibility pop
