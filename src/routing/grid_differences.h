// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
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

  /// What a routing needs to know of the directions in which a packet crosses dimensions of radix 2.
  enum class BinarySigns : std::uint8_t {
    all,
    first_up,  ///< the first dimension that it crosses upwards, if there is one
    none
  };
  /// Fewer numbers where all dimensions are such, and each switch has one channel in each, at the same
  /// position in all.
  void need_only(BinarySigns signs, const Topology& topology, const CartesianLabelling& grid,
                 const std::vector<std::uint16_t>& position);

  /// 0 where there are none.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t of(SwitchId at, SwitchId to) const {
    const std::uint32_t here = codes_[at.index()], there = codes_[to.index()];
    if (signs_ == BinarySigns::all) return none_ + there - here;
    const std::uint32_t crossed = there ^ here;
    if (signs_ == BinarySigns::none) return crossed;
    const auto first_up = static_cast<std::uint32_t>(std::countr_zero((there & ~here) | 1U << dimensions_));
    return crossed * (dimensions_ + 1) + first_up;
  }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t none_ = 0;  ///< the number of no difference
  BinarySigns signs_ = BinarySigns::all;
  std::uint32_t dimensions_;
  std::vector<std::uint32_t> codes_;  ///< by switch: a bit for each dimension, unless all signs are needed
};

}  // namespace faultline
