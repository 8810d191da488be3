// SPDX-License-Identifier: Apache-2.0
// Which relation is in force in a cycle.
#pragma once

#include "faultline/simulate/clock.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

class Reroutings {
 public:
  explicit Reroutings(const SimulationSpec& spec) : all_(spec.faults.reroutings) {}

  /// Called with cycle after cycle: the relation in force from now on, if it changes; else nullptr.
  const RoutingRelation* advance(Time now) {
    const RoutingRelation* changed = nullptr;
    for (; next_ != all_.size() && all_[next_].at <= static_cast<std::uint64_t>(now); ++next_)
      changed = all_[next_].relation.get();
    return changed;
  }

  /// The relation will still change before cycle `end`.
  [[nodiscard]] bool any_ahead(Time end) const {
    return next_ != all_.size() && all_[next_].at < static_cast<std::uint64_t>(end);
  }

 private:
  const std::vector<Rerouting>& all_;
  std::size_t next_ = 0;
};

}  // namespace faultline
