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

GridDifferences::GridDifferences(const Topology& topology, const CartesianLabelling& grid,
                                 const std::vector<std::uint16_t>& position) {
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  std::uint64_t count = 1;
  std::vector<std::uint32_t> weights;
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
    const std::uint64_t size = 2 * std::uint64_t{grid.radix(dimension)} - 1;
    weights.push_back(static_cast<std::uint32_t>(count));
    none_ += static_cast<std::uint32_t>(count) * (grid.radix(dimension) - 1);
    count *= size;
    if (count > most) return;
  }
  if (!directions_have_positions(topology, grid, position)) return;
  for (const SwitchId at : topology.switches()) {
    std::uint32_t code = 0;
    for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
      code += weights[dimension] * grid.coordinate(at, dimension);
    codes_.push_back(code);
  }
  count_ = static_cast<std::uint32_t>(count);
}

}  // namespace faultline
