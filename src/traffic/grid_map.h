// SPDX-License-Identifier: Apache-2.0
// Patterns that send from each point of a grid to one other point.
#pragma once

#include "faultline/topology/grid.h"
#include "traffic/fixed_destinations.h"

namespace faultline {

/// `map(at, dimension)`: the coordinate, in that dimension, of the switch to which the terminals of the
/// switch `at` send: each to the one that has its own number there.
template <class Map>
[[nodiscard]] PatternPtr grid_map(const Topology& topology, const CartesianLabelling& grid, Map map,
                                  bool self = false) {
  std::vector<std::uint32_t> target(topology.switch_count());
  for (const SwitchId at : topology.switches()) {
    std::uint32_t stride = 1;
    for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
      target[at.index()] += map(at, dimension) * stride;
      stride *= grid.radix(dimension);
    }
  }
  const auto terminals_per_switch =
      static_cast<std::uint32_t>(topology.terminal_count() / topology.switch_count());
  std::vector<TerminalId> destinations;
  for (const TerminalId source : topology.terminals())
    destinations.emplace_back(target[grid.home(source).index()] * terminals_per_switch +
                              source.value() % terminals_per_switch);
  return std::make_shared<const FixedDestinations>(std::move(destinations), self);
}

/// `hops(radix)`: how far along a dimension of that radix, round its end.
template <class Hops>
[[nodiscard]] PatternPtr grid_shift(const Topology& topology, const CartesianLabelling& grid, Hops hops,
                                    bool self = false) {
  return grid_map(
      topology, grid,
      [&](SwitchId at, std::uint32_t dimension) {
        const std::uint32_t radix = grid.radix(dimension);
        return (grid.coordinate(at, dimension) + hops(radix)) % radix;
      },
      self);
}

}  // namespace faultline
