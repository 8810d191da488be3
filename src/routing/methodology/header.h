// SPDX-License-Identifier: Apache-2.0
// The packet header of the fault-tolerant methodology (paper 5, Figure 2.1) and its layout in a tag.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "faultline/routing/relation.h"
#include "faultline/topology/grid.h"

namespace faultline {

/// Hops to be made in one direction (GridDirections) whatever the destination.
struct MisroutedRun {
  std::uint8_t direction = 0;
  std::uint16_t hops = 0;
  friend bool operator==(const MisroutedRun&, const MisroutedRun&) = default;
};

/// How one leg of a path is routed: first the runs, in ascending order of their directions, then by shortest
/// paths.
struct Subheader {
  static constexpr std::size_t max_runs = 3;
  std::array<MisroutedRun, max_runs> runs{};
  bool adaptive = true;          ///< by any shortest path; otherwise in direction order
  std::uint32_t minus_ties = 0;  ///< dimensions in which half-way round a ring is minus
  friend bool operator==(const Subheader&, const Subheader&) = default;
};

/// `now` routes to the intermediate switch, `then` on from there; without one, `now` to the destination.
struct Header {
  SwitchId intermediate;  ///< invalid where there is none
  Subheader now, then;
  friend bool operator==(const Header&, const Header&) = default;
};

/// From the lowest bit: `now`, `then`, whether there is an intermediate switch (the I bit of Figure 4.2) and
/// which. A subheader is its "not adaptive" bit, hops and direction of each run, and, where ties are a leg's
/// choice, a bit for each dimension. The tag 0 is the header of a packet routed adaptively to its
/// destination.
class HeaderLayout {
 public:
  /// Throws Error("routing." + `who`) where a header takes more than 63 bits.
  HeaderLayout(const CartesianLabelling& grid, bool has_tie_bits, std::string_view who);

  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  [[nodiscard]] std::uint64_t tag_count() const { return std::uint64_t{1} << bits_; }
  [[nodiscard]] Tag encode(const Header& header) const;
  [[nodiscard]] Header decode(Tag tag) const;

  [[nodiscard]] bool has_intermediate(Tag tag) const { return (tag >> 2 * subheader_bits_ & 1U) != 0; }
  [[nodiscard]] SwitchId intermediate(Tag tag) const {
    return SwitchId(static_cast<std::size_t>(tag >> (2 * subheader_bits_ + 1)));
  }
  /// The header of a packet that has come to its intermediate switch: the second subheader alone.
  [[nodiscard]] Tag without_first(Tag tag) const { return tag >> subheader_bits_ & subheader_mask(); }

  [[nodiscard]] bool is_adaptive(Tag tag) const { return (tag & 1U) == 0; }
  [[nodiscard]] bool misroutes(Tag tag) const { return (tag & all_hops_) != 0; }
  [[nodiscard]] std::uint32_t minus_ties(Tag tag) const {
    return has_tie_bits_ ? static_cast<std::uint32_t>((tag & subheader_mask()) >> ties_at_) : 0;
  }
  /// The first run of `now` that has hops left; there must be one.
  [[nodiscard]] std::uint32_t misrouted_direction(Tag tag) const {
    return static_cast<std::uint32_t>(tag >> (run_at(tag) + hops_bits_) & ((1U << direction_bits_) - 1));
  }
  /// After a hop of that run. A run without hops left has direction 0.
  [[nodiscard]] Tag after_misrouted_hop(Tag tag) const {
    const std::uint32_t at = run_at(tag);
    tag -= Tag{1} << at;
    return (tag >> at & hops_mask()) != 0 ? tag : tag & ~(run_mask() << at);
  }

 private:
  [[nodiscard]] Tag subheader_mask() const { return (Tag{1} << subheader_bits_) - 1; }
  [[nodiscard]] Tag hops_mask() const { return (Tag{1} << hops_bits_) - 1; }
  [[nodiscard]] Tag run_mask() const { return (Tag{1} << (hops_bits_ + direction_bits_)) - 1; }
  [[nodiscard]] std::uint32_t run_at(Tag tag) const {
    std::uint32_t at = 1;
    while ((tag >> at & hops_mask()) == 0) at += hops_bits_ + direction_bits_;
    return at;
  }
  [[nodiscard]] Tag encode(const Subheader& subheader) const;
  [[nodiscard]] Subheader decode_subheader(Tag tag) const;

  bool has_tie_bits_;
  std::uint32_t hops_bits_, direction_bits_, ties_at_, subheader_bits_, bits_;
  Tag all_hops_;  ///< the hops of all runs of `now`
};

}  // namespace faultline
