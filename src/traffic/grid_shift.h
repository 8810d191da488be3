// SPDX-License-Identifier: Apache-2.0
// Patterns that move every packet by the same number of hops in each dimension of a grid.
#pragma once

#include "faultline/topology/grid.h"
#include "traffic/bit_permutation.h"

namespace faultline {

/// `hops(radix)`: how far along a dimension of that radix, round its end. A terminal sends to the one at its
/// own place of the switch that is so far away.
template <class Hops>
[[nodiscard]] PatternPtr grid_shift(const Topology& topology, const CartesianLabelling& grid, Hops hops,
                                    bool self = false) {
  std::vector<std::uint32_t> target(topology.switch_count());
  for (const SwitchId at : topology.switches()) {
    std::uint32_t stride = 1;
    for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
      const std::uint32_t radix = grid.radix(dimension);
      target[at.index()] += (grid.coordinate(at, dimension) + hops(radix)) % radix * stride;
      stride *= radix;
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

}  // namespace faultline
