// SPDX-License-Identifier: Apache-2.0
// The construction that torus, mesh and hypercube share.
#pragma once

#include "faultline/topology/grid.h"

namespace faultline {

/// Ports: dimension 0 plus, 0 minus, 1 plus, …, then the terminals; with `one_port_a_dimension` a port serves
/// whichever of the two directions its switch has.
struct GridShape {
  std::vector<std::uint32_t> radix;
  bool wraps = false;
  bool one_port_a_dimension = false;
  std::uint32_t terminals_per_switch = 1;
};

/// 2^64 - 1 where there are more.
[[nodiscard]] std::uint64_t grid_terminals(const std::vector<std::uint32_t>& radix,
                                           std::uint32_t terminals_per_switch);

/// Throws Error("topology.radix") for a network of more than max_terminals terminals.
[[nodiscard]] Topology build_grid(const GridShape& shape, const std::string& name);

}  // namespace faultline
