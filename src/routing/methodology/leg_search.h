// SPDX-License-Identifier: Apache-2.0
// Which legs are intact when channels have failed, for all switches at once: each row is a bit set of
// switches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "routing/methodology/leg_geometry.h"
#include "routing/methodology/mechanisms.h"

namespace faultline {

/// A leg from u is usable in one of three ways (paper 5, section 2): adaptive, if every channel of the box of
/// shortest paths is alive; ordered, if the path in direction order is; misrouted, if after up to three runs
/// of ascending directions, none of them after a direction that the rest still needs, it is usable in one of
/// the first two ways.
class LegSearch {
 public:
  /// Pairs of switches at this residue from each other that are not served: bit u of `row` is u → u +
  /// residue.
  struct LostPairs {
    std::uint32_t residue = 0;
    std::vector<std::uint64_t> row;
  };

  LegSearch() = default;
  LegSearch(const LegSearch&) = delete;
  LegSearch& operator=(const LegSearch&) = delete;
  virtual ~LegSearch() = default;

  virtual void revive_all() = 0;
  /// The channel that leaves `at` in `direction` is dead.
  virtual void fail(std::uint32_t at, std::uint32_t direction) = 0;

  /// Finds adaptive and, if requested, ordered legs.
  virtual void find_legs(bool ordered) = 0;
  /// After find_legs: bit u tells whether the leg from u by this offset (LegGeometry::offsets) is usable.
  [[nodiscard]] virtual std::vector<std::uint64_t> adaptive(std::size_t offset) const = 0;
  [[nodiscard]] virtual std::vector<std::uint64_t> ordered(std::size_t offset) const = 0;

  /// Finds the pairs without a usable leg or two of them; the reference holds until the next call.
  [[nodiscard]] virtual const std::vector<LostPairs>& find_lost(const Mechanisms& mechanisms) = 0;
  /// Whether living channels lead from every switch to every other.
  [[nodiscard]] virtual bool is_connected() const = 0;
};

/// The fastest one for this grid on this processor, or the one named "word"; `geometry` must outlive it.
[[nodiscard]] std::unique_ptr<LegSearch> make_leg_search(const LegGeometry& geometry,
                                                         std::string_view kernel = {});
[[nodiscard]] std::unique_ptr<LegSearch> make_word_leg_search(const LegGeometry& geometry);
/// Null if the processor or the grid (of at most 512 switches, with lines within words or of whole words)
/// does not fit.
[[nodiscard]] std::unique_ptr<LegSearch> make_avx512_leg_search(const LegGeometry& geometry);

}  // namespace faultline
