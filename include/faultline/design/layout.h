// SPDX-License-Identifier: Apache-2.0
// Where to put the switches, so that the longest cable of a terminal is short (paper 4, section 4.2 and
// Figure 12).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/topology/switched.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Coordinates, in the unit of the file or in racks of a row.
using Spot = std::array<double, 3>;

struct Room {
  std::vector<Spot> spots;      ///< where a switch may be placed, one at each
  std::vector<Spot> terminals;  ///< by terminal; empty: each is at the spot that minimises its longest
                                ///< cable, and of those at the one with the least sum
};

/// Spots 0, 1, 2 … in a row, one unit apart.
[[nodiscard]] Room row_of_racks(std::uint32_t spots);
/// Lines "switch,x,y" or "switch,x,y,z" for spots, and "terminal,x,y" for terminals in their order, or none.
/// Throws Error("design.room") with file and line for anything else.
[[nodiscard]] Room read_room(const InputFile& file);

struct LayoutSpec {
  std::uint32_t steps = 200'000;  ///< exchanges to try
  std::uint64_t max_nodes =
      2'000'000;  ///< of a search for a proof that no layout has a shorter longest cable
  std::uint64_t seed = 1;
  StopFlag stop = nullptr;
};

/// Lengths of cables.
struct Cables {
  double longest_terminal = 0;  ///< from a terminal to one of its switches
  double longest_link = 0;      ///< between switches
  double total = 0;
};

struct SwitchLayout {
  std::vector<std::uint32_t> spot_of;  ///< by switch: the number of its spot
  std::vector<Spot> terminals;         ///< the spot of each
  Cables before;                       ///< with the switches in the order of the spots
  Cables after;
  double bound = 0;  ///< lower bound for the longest terminal cable of any layout
  /// But for rounding: the bound is computed from the same distances in another order.
  [[nodiscard]] bool optimal() const { return after.longest_terminal <= bound * (1 + 1e-9); }
};

/// Minimises the longest terminal cable first, then the longest link, then the sum. For terminals at fixed
/// positions the longest cable is optimal (a bottleneck assignment); for others the bound is the better of a
/// counting argument over the switches within reach and an exhaustive search of limited size. Throws
/// Error("design.room") for fewer spots than switches, a different number of terminals, or more than 1e8
/// pairs of a terminal at a fixed position and a spot.
[[nodiscard]] SwitchLayout lay_out(const SwitchNetwork& network, const Attachments& attachments,
                                   const Room& room, const LayoutSpec& spec);

/// The layout as an SVG image: before, and after.
[[nodiscard]] std::string layout_svg(const SwitchNetwork& network, const Attachments& attachments,
                                     const Room& room, const SwitchLayout& layout, const std::string& title);

}  // namespace faultline
#pragma GCC visibility pop
