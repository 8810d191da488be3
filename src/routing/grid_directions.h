// SPDX-License-Identifier: Apache-2.0
// The directions of a grid in the order of paper 5, section 2: X+ Y+ Z+ … and then X- Y- Z- …
#pragma once

#include <cstdint>
#include <string>

#include "faultline/topology/grid.h"

namespace faultline {

/// Directions are numbered 0 … count() - 1 in that order; sets of them are bits.
class GridDirections {
 public:
  explicit GridDirections(const CartesianLabelling& grid) : grid_(grid) {}

  [[nodiscard]] std::uint32_t count() const { return 2 * grid_.dimensions(); }
  [[nodiscard]] std::uint32_t dimension(std::uint32_t direction) const {
    return direction < grid_.dimensions() ? direction : direction - grid_.dimensions();
  }
  [[nodiscard]] bool is_plus(std::uint32_t direction) const { return direction < grid_.dimensions(); }
  [[nodiscard]] std::uint32_t number(std::uint32_t dimension, Direction direction) const {
    return dimension + (direction == Direction::plus ? 0 : grid_.dimensions());
  }
  [[nodiscard]] std::uint32_t opposite(std::uint32_t direction) const {
    return is_plus(direction) ? direction + grid_.dimensions() : direction - grid_.dimensions();
  }
  /// Invalid at the border of a mesh.
  [[nodiscard]] ChannelId channel(SwitchId at, std::uint32_t direction) const {
    return grid_.output(at, dimension(direction), is_plus(direction) ? Direction::plus : Direction::minus);
  }

  /// The directions, one a dimension, that a shortest path from `at` to `to` takes. Half-way round a ring it
  /// is plus, or minus in the dimensions whose bit is set in `minus_ties`.
  [[nodiscard]] std::uint32_t minimal(SwitchId at, SwitchId to, std::uint32_t minus_ties = 0) const {
    std::uint32_t found = 0;
    for (std::uint32_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
      const std::uint32_t ways = minimal_ways(at, to, dimension, minus_ties);
      found |= (ways & 1) << dimension | (ways >> 1) << (dimension + grid_.dimensions());
    }
    return found;
  }
  /// The one in a dimension: bit 0 plus, bit 1 minus. Without branches, like
  /// CartesianLabelling::nearer_ways().
  [[nodiscard]] std::uint32_t minimal_ways(SwitchId at, SwitchId to, std::uint32_t dimension,
                                           std::uint32_t minus_ties) const {
    const std::uint32_t ways = grid_.nearer_ways(at, to, dimension);
    const std::uint32_t is_tie = ways & ways >> 1, takes_minus = minus_ties >> dimension & 1;
    return ways & ~(is_tie << (1 - takes_minus));
  }

  /// "X+", "Y-", …; beyond three dimensions "4+".
  [[nodiscard]] std::string name(std::uint32_t direction) const {
    const std::uint32_t axis = dimension(direction);
    return (axis < 3 ? std::string(1, static_cast<char>('X' + axis)) : std::to_string(axis + 1)) +
           (is_plus(direction) ? "+" : "-");
  }

 private:
  const CartesianLabelling& grid_;
};

}  // namespace faultline
