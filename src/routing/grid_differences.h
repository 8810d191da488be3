// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/topology/grid.h"

namespace faultline {

/// Numbers the differences between the coordinates of two switches in some dimensions: the difference from
/// `at` to `to` is number none() + code(to) - code(at), which is below count().
class DifferenceCodes {
 public:
  /// Of the dimensions from `first` to before `end`.
  DifferenceCodes(const CartesianLabelling& grid, std::uint32_t first, std::uint32_t end);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The number of no difference.
  [[nodiscard]] std::uint32_t none() const { return none_; }
  [[nodiscard]] std::uint32_t code(SwitchId at) const;

 private:
  const CartesianLabelling& grid_;
  std::uint32_t first_;
  std::vector<std::uint32_t> weights_;  ///< by dimension, from the first on
  std::uint64_t count_ = 1;
  std::uint32_t none_ = 0;
};

/// The numbers of differences in all dimensions, where a table of them is small, and where each direction is
/// at the same position among the outputs of all switches that have it.
class GridDifferences {
 public:
  /// `position`: by channel, among the outputs of its switch.
  GridDifferences(const Topology& topology, const CartesianLabelling& grid,
                  const std::vector<std::uint16_t>& position);

  /// For routings that cross a dimension of radix 2 alike upwards and downwards: fewer numbers where all
  /// dimensions are such, and each switch has one channel in each, at the same position in all.
  void ignore_binary_signs(const Topology& topology, const CartesianLabelling& grid,
                           const std::vector<std::uint16_t>& position);

  /// 0 where there are none.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t of(SwitchId at, SwitchId to) const {
    const std::uint32_t here = codes_[at.index()], there = codes_[to.index()];
    return without_signs_ ? there ^ here : none_ + there - here;
  }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t none_ = 0;            ///< the number of no difference
  bool without_signs_ = false;        ///< all dimensions are of radix 2: a bit each
  std::vector<std::uint32_t> codes_;  ///< by switch
};

}  // namespace faultline
