// SPDX-License-Identifier: Apache-2.0
// The legs of a grid by offset: the distance in each dimension, and the direction.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "faultline/topology/grid.h"

namespace faultline {

/// Legs from any switch u to u + residue, residues being numbered as switches are (mixed radix, each
/// coordinate modulo its radix). An offset is a residue with a direction in each dimension where it is not 0;
/// a torus has one for each residue unless ties are a choice, a mesh has one for each way of signs.
class LegGeometry {
 public:
  static constexpr std::uint32_t max_switches = 4096;

  struct Offset {
    std::uint32_t residue = 0, distance = 0;
    std::uint32_t directions = 0;  ///< bits of GridDirections
    std::uint32_t minus_ties = 0;  ///< dimensions that go minus half-way round
  };

  /// Throws Error("routing." + `who`) for more than max_switches.
  LegGeometry(const CartesianLabelling& grid, bool tie_choice, std::string_view who);

  [[nodiscard]] std::uint32_t dimensions() const { return static_cast<std::uint32_t>(radix_.size()); }
  [[nodiscard]] std::uint32_t directions() const { return 2 * dimensions(); }
  [[nodiscard]] std::uint32_t radix(std::uint32_t dimension) const { return radix_[dimension]; }
  [[nodiscard]] std::uint32_t stride(std::uint32_t dimension) const { return stride_[dimension]; }
  [[nodiscard]] std::uint32_t switches() const { return switches_; }
  /// A mesh: lines are not closed to rings.
  [[nodiscard]] bool has_ends() const { return has_ends_; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t at, std::uint32_t dimension) const {
    return at / stride_[dimension] % radix_[dimension];
  }

  /// Nearest first; offsets()[0] leads nowhere.
  [[nodiscard]] std::span<const Offset> offsets() const { return offsets_; }
  /// The offset that is left after a hop in one of its directions.
  [[nodiscard]] std::uint32_t after_hop(std::size_t offset, std::uint32_t direction) const {
    return after_hop_[offset * directions() + direction];
  }
  /// The offsets of a residue.
  [[nodiscard]] std::span<const std::uint32_t> offsets_of(std::uint32_t residue) const {
    return std::span(offsets_of_).subspan(first_of_[residue], first_of_[residue + 1] - first_of_[residue]);
  }

  /// The offsets of legs from one switch to another: one in a mesh, in a torus all of the residue.
  [[nodiscard]] std::span<const std::uint32_t> offsets_between(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t shift = position_[to] - position_[from] + no_shift_;
    return std::span(offsets_at_).subspan(first_at_[shift], first_at_[shift + 1] - first_at_[shift]);
  }
  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    return offsets_[offsets_between(from, to).front()].distance;
  }

  /// Residues, nearest (by the shortest of their offsets) first.
  [[nodiscard]] std::span<const std::uint32_t> residues_by_distance() const { return by_distance_; }
  [[nodiscard]] std::uint32_t distance(std::uint32_t residue) const {
    return offsets_[offsets_of(residue).front()].distance;
  }
  /// residue - part, in each dimension modulo its radix.
  [[nodiscard]] std::uint32_t difference(std::uint32_t residue, std::uint32_t part) const;
  /// Where a hop from `at` leads, round the end of a line as well.
  [[nodiscard]] std::uint32_t step(std::uint32_t at, std::uint32_t direction) const {
    return steps_[at * directions() + direction];
  }

 private:
  void list_offsets(const CartesianLabelling& grid, bool tie_choice);
  void link_offsets();
  void list_shifts(const CartesianLabelling& grid);

  std::vector<std::uint32_t> radix_, stride_;
  std::uint32_t switches_ = 1;
  bool has_ends_;
  std::vector<Offset> offsets_;
  std::vector<std::uint32_t> after_hop_, offsets_of_, first_of_, by_distance_, steps_;
  // A shift is what is added to the coordinates, by its number: DifferenceCodes, of which a position is the
  // code.
  std::vector<std::uint32_t> position_, offsets_at_, first_at_;
  std::uint32_t no_shift_ = 0;
};

}  // namespace faultline
