// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "routing/multistep/base_routes.h"

namespace faultline {

/// A terminal, and how far its switch is.
struct NearTerminal {
  TerminalId terminal;
  std::uint32_t shell = 0;  ///< 1 for the nearest switches with terminals, 2 for those of the next distance
};

/// For each switch, the terminals of other switches that a detour may use, the nearest first, alternating
/// between output ports, so that no output is left out. Of the terminals of a switch to which the base
/// routing takes the same path, one stands for all.
class Neighbourhoods {
 public:
  static constexpr std::size_t max_terminals = 32;  ///< of a switch

  explicit Neighbourhoods(const BaseRoutes& routes);

  [[nodiscard]] std::span<const NearTerminal> of(SwitchId at) const { return near_[at.index()]; }
  /// Those of the switch itself.
  [[nodiscard]] std::span<const TerminalId> at(SwitchId at) const { return own_[at.index()]; }
  /// Network channels to the nearest switch with a terminal; 0 if the switch has one itself.
  [[nodiscard]] std::uint32_t level(SwitchId at) const { return levels_[at.index()]; }

 private:
  std::vector<std::vector<NearTerminal>> near_;
  std::vector<std::vector<TerminalId>> own_;
  std::vector<std::uint32_t> levels_;
};

}  // namespace faultline
