// SPDX-License-Identifier: Apache-2.0
// Register values with which a switch routes as a given algorithm.
#pragma once

#include <vector>

#include "faultline/routing/fir.h"
#include "faultline/topology/grid.h"

namespace faultline {

enum class FirRings : std::uint8_t {
  plain,     ///< one escape virtual channel; rings are not kept free of deadlock
  bubble,    ///< one, entered only where two packets fit (BR)
  dateline,  ///< two, by whether the destination lies beyond the end of the line
};

struct FirPlan {
  bool by_direction = false;  ///< deterministic order X+ Y+ … X- Y- …; else X, Y, …
  FirRings rings = FirRings::plain;
  std::uint32_t adaptive_vcs = 0;
  bool fault_tolerant = false;  ///< escape channels E0 and E1; needs by_direction, and no dateline

  [[nodiscard]] std::uint32_t escape_vcs() const {
    return fault_tolerant || rings == FirRings::dateline ? 2 : 1;
  }
  [[nodiscard]] std::uint32_t vcs() const { return escape_vcs() + adaptive_vcs; }
};

/// Addresses of switches: their coordinates side by side, each of as many bits as its dimension needs.
class FirAddresses {
 public:
  explicit FirAddresses(const CartesianLabelling& grid);
  [[nodiscard]] std::uint32_t bits() const { return shift_.back(); }
  [[nodiscard]] std::uint32_t shifted(std::uint32_t coordinate, std::uint32_t dimension) const {
    return coordinate << shift_[dimension];
  }
  [[nodiscard]] std::uint32_t mask(std::uint32_t dimension) const {
    return (1U << shift_[dimension + 1]) - (1U << shift_[dimension]);
  }
  [[nodiscard]] std::uint32_t of(const CartesianLabelling& grid, SwitchId at) const;

 private:
  std::vector<std::uint32_t> shift_;
};

/// The registers of every switch; ports in the order of GridDirections. Throws Error("routing.fir") where a
/// switch has more than 64 virtual channels.
[[nodiscard]] std::vector<FirSwitch> configure_fir(const CartesianLabelling& grid, std::size_t switches,
                                                   const FirPlan& plan);

}  // namespace faultline
