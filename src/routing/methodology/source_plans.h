// SPDX-License-Identifier: Apache-2.0
// The plan of each source for each destination (paper 5, section 2): the cheapest header that avoids the
// faults.
#pragma once

#include <optional>
#include <string_view>

#include "faultline/fault/fault_set.h"
#include "faultline/routing/plan_figures.h"
#include "routing/methodology/header.h"
#include "routing/methodology/leg_geometry.h"
#include "routing/methodology/mechanisms.h"
#include "routing/numbered_words.h"

namespace faultline {

/// The cheapest header has the fewest hops; of these, the fewest without adaptivity; of these, no
/// intermediate switch; of these, the most shortest paths. With two restrictions, for the sake of time: where
/// more than 128 switches are on shortest paths, the intermediate one is the best of 32 drawn ones, or if
/// none of them serves, of all; and misrouting on one of two legs is tried only where it saves hops, or where
/// nothing else serves, so that a header with as many hops and fewer without adaptivity may be missed.
class SourcePlans {
 public:
  /// Throws Error("routing." + `who`) for a grid that is too large for sources or headers.
  SourcePlans(const CartesianLabelling& grid, const Mechanisms& mechanisms, const FaultSet& known,
              std::string_view who);

  /// Absent if no header that the mechanisms allow avoids the faults.
  [[nodiscard]] std::optional<Tag> find(SwitchId from, SwitchId to) const {
    const std::size_t pair = from.index() * switches_ + to.index();
    const Tag tag = tags_[pair];
    return tag == none ? std::nullopt : std::optional(tag);
  }
  /// Where find() reads first.
  [[nodiscard]] const void* entry(SwitchId from, SwitchId to) const {
    return tags_.entry(from.index() * switches_ + to.index());
  }
  [[nodiscard]] const HeaderLayout& layout() const { return layout_; }
  [[nodiscard]] const PlanFigures& figures() const { return figures_; }

 private:
  static constexpr Tag none = ~Tag{0};

  HeaderLayout layout_;
  std::size_t switches_ = 0;
  NumberedWords tags_;  ///< by source and destination
  PlanFigures figures_;
};

}  // namespace faultline
