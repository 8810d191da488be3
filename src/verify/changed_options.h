// SPDX-License-Identifier: Apache-2.0
// Relations that change the options which another one offers at switches.
#pragma once

#include <algorithm>
#include <utility>

#include "faultline/routing/admissible.h"
#include "faultline/routing/based_relation.h"

namespace faultline {

/// A relation as packets use it under a selection function that always takes the first option: at switches,
/// no other is left. Sources keep all of theirs, among which an agent may choose.
class FirstOption final : public BasedRelation {
 public:
  explicit FirstOption(const RoutingRelation& base) : BasedRelation(base) {}
  void route(const RouteState& state, RouteOptions& options) const override {
    base().route(state, options);
    if (options.empty()) return;
    keep_lowest_tier(options);
    options.resize(1);
  }
};

/// A relation while channels fail and recover: an option of any tier may be among those that are left.
class EveryTier final : public BasedRelation {
 public:
  explicit EveryTier(const RoutingRelation& base) : BasedRelation(base) {}
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
