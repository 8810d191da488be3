// SPDX-License-Identifier: Apache-2.0
// The plan of each source for each destination (paper 5, section 2): the cheapest header that avoids the
// faults.
#pragma once

#include <optional>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/routing/plan_figures.h"
#include "routing/methodology/header.h"
#include "routing/methodology/leg_geometry.h"
#include "routing/methodology/mechanisms.h"

namespace faultline {

/// The cheapest header has the fewest hops; of these, the fewest without adaptivity; of these, no
/// intermediate switch; of these, the most shortest paths.
class SourcePlans {
 public:
  SourcePlans(const CartesianLabelling& grid, const Mechanisms& mechanisms, const FaultSet& known);

  /// Absent if no header that the mechanisms allow avoids the faults.
  [[nodiscard]] std::optional<Tag> find(SwitchId from, SwitchId to) const {
    const std::size_t pair = from.index() * switches_ + to.index();
    if ((is_special_[pair / 64] >> (pair % 64) & 1U) == 0) return Tag{0};
    return find_special(from, to);
  }
  [[nodiscard]] const HeaderLayout& layout() const { return layout_; }
  [[nodiscard]] const PlanFigures& figures() const { return figures_; }

 private:
  static constexpr Tag none = ~Tag{0};
  struct Entry {
    std::uint32_t destination;
    Tag tag;
  };
  [[nodiscard]] std::optional<Tag> find_special(SwitchId from, SwitchId to) const;

  HeaderLayout layout_;
  std::size_t switches_ = 0;
  std::vector<std::uint64_t> is_special_;  ///< a bit a pair: anything else than adaptive and direct
  std::vector<std::uint32_t> first_;       ///< by source: its special destinations, ascending
  std::vector<Entry> entries_;
  PlanFigures figures_;
};

}  // namespace faultline
