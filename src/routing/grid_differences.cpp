// SPDX-License-Identifier: Apache-2.0
#include "routing/grid_differences.h"

#include <initializer_list>

namespace faultline {
namespace {

constexpr std::uint32_t max_bits = 16;  ///< of the number of differences

/// The outputs in these directions of a dimension are at the same position in all switches that have any.
bool have_one_position(const Topology& topology, const CartesianLabelling& grid,
                       const std::vector<std::uint16_t>& position, std::uint32_t dimension,
                       std::initializer_list<Direction> directions) {
  ChannelId first;
  for (const SwitchId at : topology.switches())
    for (const Direction direction : directions) {
      const ChannelId output = grid.output(at, dimension, direction);
      if (!output.valid()) continue;
      if (!first.valid()) first = output;
      if (position[output.index()] != position[first.index()]) return false;
    }
  return true;
}

bool directions_have_positions(const Topology& topology, const CartesianLabelling& grid,
                               const std::vector<std::uint16_t>& position) {
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    for (const Direction direction : {Direction::plus, Direction::minus})
      if (!have_one_position(topology, grid, position, dimension, {direction})) return false;
  return true;
}

/// Each dimension has one channel out of each switch, at the same position in all.
bool is_binary(const Topology& topology, const CartesianLabelling& grid,
               const std::vector<std::uint16_t>& position) {
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    if (grid.radix(dimension) != 2 ||
        !have_one_position(topology, grid, position, dimension, {Direction::plus, Direction::minus}))
      return false;
  return true;
}

}  // namespace

DifferenceCodes::DifferenceCodes(const CartesianLabelling& grid, std::uint32_t first, std::uint32_t end)
    : grid_(grid), first_(first) {
  for (std::uint32_t dimension = first; dimension < end; ++dimension) {
    const std::uint32_t radix = grid.radix(dimension);
    weights_.push_back(static_cast<std::uint32_t>(count_));
    none_ += weights_.back() * (radix - 1);
    count_ *= 2 * std::uint64_t{radix} - 1;
  }
}

std::uint32_t DifferenceCodes::code(SwitchId at) const {
  std::uint32_t code = 0;
  for (std::uint32_t i = 0; i < weights_.size(); ++i) code += weights_[i] * grid_.coordinate(at, first_ + i);
  return code;
}

GridDifferences::GridDifferences(const Topology& topology, const CartesianLabelling& grid,
                                 const std::vector<std::uint16_t>& position)
    : dimensions_(grid.dimensions()) {
  const DifferenceCodes differences(grid, 0, grid.dimensions());
  if (differences.count() > std::uint64_t{1} << max_bits ||
      !directions_have_positions(topology, grid, position))
    return;
  for (const SwitchId at : topology.switches()) codes_.push_back(differences.code(at));
  none_ = differences.none();
  count_ = static_cast<std::uint32_t>(differences.count());
}

void GridDifferences::need_only(BinarySigns signs, const Topology& topology, const CartesianLabelling& grid,
                                const std::vector<std::uint16_t>& position) {
  if (signs == BinarySigns::all || dimensions_ > max_bits || !is_binary(topology, grid, position)) return;
  signs_ = signs;
  count_ = (signs == BinarySigns::none ? 1 : dimensions_ + 1) << dimensions_;
  codes_.clear();
  for (const SwitchId at : topology.switches()) {
    std::uint32_t code = 0;
    for (std::uint32_t i = 0; i < grid.dimensions(); ++i) code |= grid.coordinate(at, i) << i;
    codes_.push_back(code);
  }
}

}  // namespace faultline
