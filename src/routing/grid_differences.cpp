// SPDX-License-Identifier: Apache-2.0
#include "routing/grid_differences.h"

namespace faultline {
namespace {

bool directions_have_positions(const Topology& topology, const CartesianLabelling& grid,
                               const std::vector<std::uint16_t>& position) {
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    for (const Direction direction : {Direction::plus, Direction::minus}) {
      ChannelId first;
      for (const SwitchId at : topology.switches()) {
        const ChannelId output = grid.output(at, dimension, direction);
        if (!output.valid()) continue;
        if (!first.valid()) first = output;
        if (position[output.index()] != position[first.index()]) return false;
      }
    }
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
                                 const std::vector<std::uint16_t>& position) {
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  const DifferenceCodes differences(grid, 0, grid.dimensions());
  if (differences.count() > most || !directions_have_positions(topology, grid, position)) return;
  for (const SwitchId at : topology.switches()) codes_.push_back(differences.code(at));
  none_ = differences.none();
  count_ = static_cast<std::uint32_t>(differences.count());
}

}  // namespace faultline
