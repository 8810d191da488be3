// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/fault/fault_set.h"
#include "faultline/routing/based_relation.h"

namespace faultline {

/// A relation that does not know that some channels of its network are dead: a packet that has come over one
/// is offered nothing, and no terminal sends it again.
class Lossy final : public BasedRelation {
 public:
  Lossy(const RoutingRelation& base, const FaultSet& dead) : BasedRelation(base), dead_(dead) {}

  void route(const RouteState& state, RouteOptions& options) const override {
    if (!dead_.failed(state.held)) BasedRelation::route(state, options);
  }
  [[nodiscard]] bool reads_held_channel() const override { return true; }
  [[nodiscard]] bool always_progresses() const override { return false; }

 private:
  const FaultSet& dead_;
};

}  // namespace faultline
