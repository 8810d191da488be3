// SPDX-License-Identifier: Apache-2.0
// The best way to route one leg, and a pair of them, around given faults.
#pragma once

#include <compare>
#include <optional>
#include <unordered_map>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "routing/methodology/header.h"
#include "routing/methodology/leg_search.h"

namespace faultline {

/// The cost of a leg, or of a path of two: compared lexicographically, with more `paths` being better.
struct LegCost {
  std::uint32_t hops = 0;
  std::uint32_t fixed_hops = 0;  ///< made without a choice
  std::uint32_t subheaders = 1;
  double paths = 1;  ///< shortest paths to choose from

  friend bool operator<(const LegCost& a, const LegCost& b) {
    if (a.hops != b.hops) return a.hops < b.hops;
    if (a.fixed_hops != b.fixed_hops) return a.fixed_hops < b.fixed_hops;
    if (a.subheaders != b.subheaders) return a.subheaders < b.subheaders;
    return a.paths > b.paths;
  }
};

struct PlannedLeg {
  LegCost cost;
  Subheader subheader;
};

/// Legs between switches, by number, of a grid with dead channels.
class LegChoice {
 public:
  LegChoice(const LegGeometry& geometry, const CartesianLabelling& grid, const Mechanisms& mechanisms,
            const FaultSet& known);

  [[nodiscard]] const LegGeometry& geometry() const { return geometry_; }
  /// Whether one leg, or two by an intermediate switch where that is allowed, lead from one to the other. It
  /// is found for all pairs at once: the search below tries everything before it gives a pair up.
  [[nodiscard]] bool serves(std::uint32_t from, std::uint32_t to) const {
    return !unserved_.at(geometry_.difference(to, from), from);
  }
  [[nodiscard]] std::optional<PlannedLeg> adaptive(std::uint32_t from, std::uint32_t to) const;
  /// The better one of adaptive and, if allowed, ordered, with no direction before `first`.
  [[nodiscard]] std::optional<PlannedLeg> unmisrouted(std::uint32_t from, std::uint32_t to,
                                                      std::uint32_t first = 0) const;
  /// The best one that begins with a run, of at most `max_hops`.
  [[nodiscard]] std::optional<PlannedLeg> misrouted(std::uint32_t from, std::uint32_t to,
                                                    std::uint32_t max_hops);

 private:
  struct Bits {
    std::vector<std::uint64_t> words;
    std::size_t words_a_row = 0;
    [[nodiscard]] bool at(std::size_t row, std::uint32_t bit) const {
      return (words[row * words_a_row + bit / 64] >> (bit % 64) & 1U) != 0;
    }
  };
  struct MisroutedSearch;

  [[nodiscard]] bool is_alive(std::uint32_t at, std::uint32_t direction) const;
  void extend(MisroutedSearch& search, std::uint32_t at, Subheader& runs, std::uint32_t run,
              std::uint32_t hops) const;
  [[nodiscard]] Subheader rest(std::size_t offset, bool is_adaptive) const;

  const LegGeometry& geometry_;
  Mechanisms mechanisms_;
  std::vector<std::uint8_t> alive_;  // by switch and direction
  Bits adaptive_, ordered_;          // by offset
  Bits unserved_;                    // by residue
  std::vector<double> paths_;        // by offset
};

}  // namespace faultline
