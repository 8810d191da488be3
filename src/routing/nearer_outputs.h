// SPDX-License-Identifier: Apache-2.0
// The outputs of a grid's switch that bring a packet nearer. Adaptive routings ask once a hop, and no
// processor predicts where packets go: the answers are looked up.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/topology/grid.h"

namespace faultline {

/// Half-way round a ring.
enum class Ties : std::uint8_t { both, plus };

/// Output p of a switch is bit p * stride of a word.
class NearerOutputs {
 public:
  /// All positions of outputs times `stride` must be below 64.
  NearerOutputs(const Topology& topology, const CartesianLabelling& grid, std::uint32_t stride, Ties ties);

  /// Those that bring a packet at `at` nearer to `to`.
  [[nodiscard]] std::uint64_t all(SwitchId at, SwitchId to) const {
    if (group_count_ == 0) return all_by_dimension(at, to);
    const std::uint16_t* const here = codes_.data() + at.index() * group_count_;
    const std::uint16_t* const there = codes_.data() + to.index() * group_count_;
    std::uint64_t found = 0;
    for (std::size_t group = 0; group < group_count_; ++group)
      found |= ahead_[no_hop_[group] + there[group] - here[group]];
    return found;
  }
  /// Of a non-empty set from all(): those in the lowest dimension.
  [[nodiscard]] std::uint64_t in_first_dimension(std::uint64_t all) const {
    const std::uint64_t lowest = all & (~all + 1);
    return lowest | (all & ((lowest & may_tie_) << stride_));
  }
  /// Of a non-empty set from all(), with Ties::plus: the first in the order of GridDirections.
  [[nodiscard]] std::uint64_t in_first_direction(SwitchId at, std::uint64_t all) const {
    const std::uint64_t plus = all & plus_[at.index()], first = plus != 0 ? plus : all;
    return first & (~first + 1);
  }

 private:
  /// Some dimensions together, as far as a table of few entries suffices.
  struct Group {
    std::uint32_t first, end;  ///< dimensions
  };
  /// The outputs in a dimension.
  struct Hops {
    std::uint64_t plus = 0, minus = 0;
  };

  [[nodiscard]] std::uint64_t all_by_dimension(SwitchId at, SwitchId to) const;
  /// Bit 0 plus, bit 1 minus.
  [[nodiscard]] std::uint32_t ways(SwitchId at, SwitchId to, std::uint32_t dimension) const {
    const std::uint32_t nearer = grid_.nearer_ways(at, to, dimension);
    return ties_ == Ties::plus && nearer == 3 ? 1 : nearer;
  }
  void find_hops(const Topology& topology);
  [[nodiscard]] std::vector<Group> groups() const;
  void fill(const Group& group, const std::vector<Hops>& hops);
  void find_codes(const std::vector<Group>& groups, std::size_t switches);

  const CartesianLabelling& grid_;
  std::uint32_t stride_;
  Ties ties_;
  std::vector<Hops> hops_;           ///< by switch and dimension
  std::vector<std::uint64_t> plus_;  ///< by switch: its outputs in plus directions
  std::uint64_t may_tie_ = 0;        ///< the plus outputs of dimensions with ties
  // Where an output has the same position in every switch that has it:
  std::size_t group_count_ = 0;
  std::vector<std::uint16_t> codes_;   ///< by switch and group: its coordinates as a number
  std::vector<std::uint64_t> ahead_;   ///< by group and the difference of two codes
  std::vector<std::uint32_t> no_hop_;  ///< by group: where in ahead_ the difference is 0
};

}  // namespace faultline
