// SPDX-License-Identifier: Apache-2.0
// The labelling of direct networks whose switches stand at the points of a grid.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

enum class Direction : std::uint8_t { plus, minus };

/// k-ary n-cubes and n-meshes (Dally & Towles, chapter 5) with any radix in each dimension. The number of a
/// switch is its coordinates in mixed radix, dimension 0 fastest; terminal t is attached to switch t /
/// terminals_per_switch.
class CartesianLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed = "coordinates of a grid (torus, mesh, hypercube)";

  /// `outputs`: the channel that leaves each switch in each dimension and direction, at
  /// (switch * dimensions + dimension) * 2 + direction; invalid at the border of a mesh. Throws
  /// std::logic_error without a dimension, for one of 0 or of more than 65536 switches, and for 0 terminals.
  CartesianLabelling(std::vector<std::uint32_t> radix, bool wraps, std::uint32_t terminals_per_switch,
                     std::vector<ChannelId> outputs);

  [[nodiscard]] std::string_view name() const override { return needed; }
  /// One step in each dimension that is closed or has two switches only. Terminals on a switch: each becomes
  /// the next one.
  [[nodiscard]] std::vector<Automorphism> automorphisms(const Topology& topology) const override;
  [[nodiscard]] std::uint32_t dimensions() const { return static_cast<std::uint32_t>(radix_.size()); }
  [[nodiscard]] std::uint32_t radix(std::uint32_t dimension) const { return radix_[dimension]; }
  /// True for a torus: every line of switches is closed to a ring.
  [[nodiscard]] bool wraps() const { return wraps_; }
  [[nodiscard]] SwitchId home(TerminalId terminal) const {
    return SwitchId(terminals_per_switch_ == 1 ? terminal.index() : terminal.index() / terminals_per_switch_);
  }
  [[nodiscard]] std::uint32_t coordinate(SwitchId at, std::uint32_t dimension) const {
    return coordinates_[at.index() * radix_.size() + dimension];
  }
  [[nodiscard]] ChannelId output(SwitchId at, std::uint32_t dimension, Direction direction) const {
    return outputs_[(at.index() * radix_.size() + dimension) * 2 + static_cast<std::size_t>(direction)];
  }
  /// The hops in a dimension that bring a packet at `at` nearer to `to`: bit 0 plus, bit 1 minus; both
  /// half-way round a ring. From a table, because processors cannot predict where packets go.
  [[nodiscard]] std::uint32_t nearer_ways(SwitchId at, SwitchId to, std::uint32_t dimension) const {
    return ways_[no_distance_[dimension] + coordinate(to, dimension) - coordinate(at, dimension)];
  }
  /// True if such a hop does.
  [[nodiscard]] bool nearer(SwitchId at, SwitchId to, std::uint32_t dimension, Direction direction) const {
    return (nearer_ways(at, to, dimension) >> static_cast<std::uint32_t>(direction) & 1) != 0;
  }
  /// visit(direction) for each of these.
  template <class Visit>
  void for_each_nearer(SwitchId at, SwitchId to, std::uint32_t dimension, Visit visit) const {
    for (std::uint32_t ways = nearer_ways(at, to, dimension); ways != 0; ways &= ways - 1)
      visit(static_cast<Direction>(std::countr_zero(ways)));
  }

 private:
  void find_ways();

  std::vector<std::uint32_t> radix_;
  std::vector<std::uint16_t> coordinates_;  // by switch and dimension; routings ask for them once a hop
  std::vector<std::uint8_t> ways_;          // by dimension and coordinate ahead, from -(radix - 1) on
  std::vector<std::uint32_t> no_distance_;  // by dimension: where in ways_ the difference is 0
  bool wraps_;
  std::uint32_t terminals_per_switch_;
  std::vector<ChannelId> outputs_;
};

}  // namespace faultline
#pragma GCC visibility pop
