// SPDX-License-Identifier: Apache-2.0
// Register values with which a switch routes as a given algorithm.
#pragma once

#include <optional>
#include <vector>

#include "faultline/routing/fir.h"
#include "faultline/topology/grid.h"
#include "routing/grid_directions.h"

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

/// The network ports of a switch, in the order of GridDirections: one a direction, but one for both in a
/// dimension of two switches without a ring, where each has a single neighbour.
class FirPorts {
 public:
  explicit FirPorts(const CartesianLabelling& grid);
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(direction_.size()); }
  /// Where a port of a switch leads, connected or not.
  [[nodiscard]] std::uint32_t direction(SwitchId at, std::uint32_t port) const {
    const std::uint32_t direction = direction_[port], dimension = directions_.dimension(direction);
    return is_shared(dimension) && grid_.coordinate(at, dimension) != 0 ? directions_.opposite(direction)
                                                                        : direction;
  }
  /// The one that leads there. None where a port for both directions leads the other way.
  [[nodiscard]] std::optional<std::uint32_t> port(SwitchId at, std::uint32_t direction) const {
    const std::uint32_t port = port_[direction];
    return this->direction(at, port) == direction ? std::optional(port) : std::nullopt;
  }
  /// In a ring: the port that leads the other way round.
  [[nodiscard]] std::uint32_t opposite(std::uint32_t port) const {
    return port_[directions_.opposite(direction_[port])];
  }
  /// Calls visit(channel, its virtual channels) for each direction of an RR, `vcs` bits a port, in their
  /// order. The channel is invalid at the border of a mesh.
  template <class Visit>
  void for_each_routed(SwitchId at, std::uint64_t routed, std::uint32_t vcs, Visit visit) const {
    for (std::uint32_t direction = 0; direction < directions_.count(); ++direction) {
      const std::optional<std::uint32_t> port = this->port(at, direction);
      if (!port) continue;
      const std::uint64_t found = routed >> *port * vcs & fir_all_channels(vcs);
      if (found != 0) visit(directions_.channel(at, direction), static_cast<std::uint32_t>(found));
    }
  }

 private:
  [[nodiscard]] bool is_shared(std::uint32_t dimension) const {
    return grid_.radix(dimension) == 2 && !grid_.wraps();
  }

  const CartesianLabelling& grid_;
  GridDirections directions_;
  std::vector<std::uint32_t> direction_;  // of each port, at coordinate 0
  std::vector<std::uint32_t> port_;       // of each direction
};

/// The registers of every switch, by the ports of FirPorts. Throws Error("routing.fir"), or
/// Error("routing.ft-fir"), where a switch has more than 64 virtual channels.
[[nodiscard]] std::vector<FirSwitch> configure_fir(const CartesianLabelling& grid, std::size_t switches,
                                                   const FirPlan& plan);

}  // namespace faultline
