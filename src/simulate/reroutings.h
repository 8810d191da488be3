// SPDX-License-Identifier: Apache-2.0
// Which relation is asked in a cycle.
#pragma once

#include "faultline/simulate/simulate.h"
#include "simulate/clock.h"

namespace faultline {

class Reroutings {
 public:
  explicit Reroutings(const SimulationSpec& spec) : all_(spec.reroutings) {}

  /// Called with cycle after cycle: the relation that is asked from now on, where it is another one; else
  /// nullptr.
  const RoutingRelation* advance(Time now) {
    const RoutingRelation* changed = nullptr;
    for (; any_ahead() && all_[next_].at <= static_cast<std::uint64_t>(now); ++next_)
      changed = all_[next_].relation.get();
    return changed;
  }

  [[nodiscard]] bool any_ahead() const { return next_ != all_.size(); }

 private:
  const std::vector<Rerouting>& all_;
  std::size_t next_ = 0;
};

}  // namespace faultline
