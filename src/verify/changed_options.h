// SPDX-License-Identifier: Apache-2.0
// Relations that change the options which another one offers at switches.
#pragma once

#include <algorithm>
#include <utility>

#include "faultline/routing/admissible.h"
#include "faultline/routing/relation.h"

namespace faultline {

/// Everything as `base` says, which must outlive it.
class Based : public RoutingRelation {
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
  explicit Based(const RoutingRelation& base) : RoutingRelation(base.shared_topology()), base_(base) {}
  [[nodiscard]] const RoutingRelation& base() const { return base_; }

 private:
  const RoutingRelation& base_;
};

/// A relation as packets use it under a selection function that always takes the first option: at switches,
/// no other is left. Sources keep all of theirs, among which an agent may choose.
class FirstOption final : public Based {
 public:
  explicit FirstOption(const RoutingRelation& base) : Based(base) {}
  void route(const RouteState& state, RouteOptions& options) const override {
    base().route(state, options);
    if (options.empty()) return;
    keep_lowest_tier(options);
    options.resize(1);
  }
};

/// A relation while channels fail and recover: an option of any tier may be among those that are left.
class EveryTier final : public Based {
 public:
  explicit EveryTier(const RoutingRelation& base) : Based(base) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base().inject(source, destination, options);
    drop_tiers(options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    base().route(state, options);
    drop_tiers(options);
  }
  /// Of every tier in which the option is offered.
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    RouteOptions options;
    base().route(state, options);
    return std::ranges::all_of(options, [&](RouteOption offered) {
      const std::uint8_t tier = std::exchange(offered.tier, option.tier);
      if (offered != option) return true;
      offered.tier = tier;
      return base().is_escape(state, offered, vc);
    });
  }

 private:
  static void drop_tiers(RouteOptions& options) {
    for (RouteOption& option : options) option.tier = 0;
  }
};

}  // namespace faultline
