// SPDX-License-Identifier: Apache-2.0
// The directions of a grid in the order of paper 5, section 2: X+ Y+ Z+ … and then X- Y- Z- …
#pragma once

#include <bit>
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
      const std::uint32_t here = grid_.coordinate(at, dimension), there = grid_.coordinate(to, dimension);
      if (here == there) continue;
      const bool plus = grid_.wraps() ? shorter_by_plus(here, there, dimension, minus_ties) : there > here;
      found |= 1U << (plus ? dimension : dimension + grid_.dimensions());
    }
    return found;
  }

  /// "X+", "Y-", …; beyond three dimensions "4+".
  [[nodiscard]] std::string name(std::uint32_t direction) const {
    const std::uint32_t axis = dimension(direction);
    return (axis < 3 ? std::string(1, static_cast<char>('X' + axis)) : std::to_string(axis + 1)) +
           (is_plus(direction) ? "+" : "-");
  }

 private:
  [[nodiscard]] bool shorter_by_plus(std::uint32_t here, std::uint32_t there, std::uint32_t dimension,
                                     std::uint32_t minus_ties) const {
    const std::uint32_t size = grid_.radix(dimension);
    const std::uint32_t ahead = there > here ? there - here : there + size - here;
    if (2 * ahead == size) return (minus_ties >> dimension & 1U) == 0;
    return 2 * ahead < size;
  }

  const CartesianLabelling& grid_;
};

}  // namespace faultline
