// SPDX-License-Identifier: Apache-2.0
// The simulations of the matrix: networks, routings and switches as users combine them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/routing/switching.h"

namespace faultline::bench {

enum class CellFaults : std::uint8_t {
  none,
  known,            ///< one network link of a hundred (at least two) is dead; the routing knows
  in_time,          ///< 64 network channels go down and come up again; packets on them pass
  in_time_dropped,  ///< the same; packets on them are lost
};

/// One simulation with uniform traffic, below saturation except for some with packets of one flit.
struct Cell {
  std::string topology, routing;  ///< as on the command line
  Switching switching = Switching::wormhole;
  double load = 0;                     ///< flits/cycle/terminal
  std::uint32_t virtual_channels = 4;  ///< cut-through: as many as the routing needs
  std::uint32_t packet_flits = 16;
  /// Of wormhole switches: speculation, credits that take two cycles; else the reference router.
  bool speculative = false;
  CellFaults faults = CellFaults::none;

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// "wormhole mesh:radix=8x8 dimension-order load=0.3 vcs=4 flits=16".
[[nodiscard]] std::string name_of(const Cell& cell);

/// The cell that every other is compared with.
[[nodiscard]] Cell mesh_cell(Switching switching);

/// A larger network, with which slow cells of cut-through switching are also compared: the mesh stays in the
/// nearest caches.
[[nodiscard]] Cell tree_cell();

/// All cells, network by network. A real fabric is among them if the shared folder has one.
[[nodiscard]] std::vector<Cell> matrix_cells();

}  // namespace faultline::bench
