// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/topology/grid.h"

namespace faultline {

/// Numbers the differences between the coordinates of two switches, where a table of them is small, and where
/// each direction is at the same position among the outputs of all switches that have it.
class GridDifferences {
 public:
  /// `position`: by channel, among the outputs of its switch.
  GridDifferences(const Topology& topology, const CartesianLabelling& grid,
                  const std::vector<std::uint16_t>& position);

  /// 0 where there are none.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t of(SwitchId at, SwitchId to) const {
    return none_ + codes_[to.index()] - codes_[at.index()];
  }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t none_ = 0;            ///< the number of no difference
  std::vector<std::uint32_t> codes_;  ///< by switch
};

}  // namespace faultline
