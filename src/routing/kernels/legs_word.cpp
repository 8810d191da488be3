// SPDX-License-Identifier: Apache-2.0
// Rows of 64-bit words: runs anywhere, for any grid.
#include <array>
#include <bit>
#include <cstring>

#include "routing/methodology/header.h"
#include "routing/methodology/leg_search.h"
#include "routing/methodology/rotations.h"

namespace faultline {
namespace {

#include "routing/methodology/leg_search_of.h"

template <std::size_t count>
class WordLanes {
 public:
  static constexpr std::size_t words = count;
  using Row = std::array<std::uint64_t, count>;

  explicit WordLanes(const LegGeometry& geometry)
      : geometry_(geometry), rotations_(rotations_of(geometry, count)) {}

  static Row ones() {
    Row row;
    row.fill(~std::uint64_t{0});
    return row;
  }
  static Row both(const Row& a, const Row& b) {
    return by_word([&](std::size_t i) { return a[i] & b[i]; });
  }
  static Row either(const Row& a, const Row& b) {
    return by_word([&](std::size_t i) { return a[i] | b[i]; });
  }
  static Row without(const Row& a, const Row& b) {
    return by_word([&](std::size_t i) { return a[i] & ~b[i]; });
  }
  static bool contains(const Row& a, const Row& b) {
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < count; ++i) missing |= b[i] & ~a[i];
    return missing == 0;
  }

  /// The switches whose channel in `direction` does not lead round the end of a line.
  [[nodiscard]] Row ordinary(std::uint32_t direction) const {
    const auto& amounts = rotations_[direction % geometry_.dimensions()].by_amount;
    Row row = ones();
    // Minus: all but those of coordinate 0, which are the ones that do not wrap when looking size - 1 on.
    if (direction < geometry_.dimensions())
      std::ranges::copy(amounts[1].ordinary, row.begin());
    else
      for (std::size_t i = 0; i < count; ++i) row[i] = ~amounts.back().ordinary[i];
    return row;
  }

  [[nodiscard]] Row step(const Row& row, std::uint32_t direction) const {
    const std::uint32_t dimension = direction % geometry_.dimensions();
    return rotated(row, dimension, direction < geometry_.dimensions() ? 1 : geometry_.radix(dimension) - 1);
  }
  [[nodiscard]] Row shift(Row row, std::uint32_t residue) const {
    for (std::uint32_t dimension = 0; dimension < geometry_.dimensions(); ++dimension)
      if (const std::uint32_t amount = geometry_.coordinate(residue, dimension); amount != 0)
        row = rotated(row, dimension, amount);
    return row;
  }

 private:
  template <class Word>
  static Row by_word(Word word) {
    Row row;
    for (std::size_t i = 0; i < count; ++i) row[i] = word(i);
    return row;
  }

  [[nodiscard]] Row rotated(const Row& row, std::uint32_t dimension, std::uint32_t amount) const {
    const Rotations& rotations = rotations_[dimension];
    const Rotations::Amount& by = rotations.by_amount[amount];
    switch (rotations.alignment) {
      case Rotations::Alignment::in_word:
        return by_word([&](std::size_t i) {
          return (row[i] >> by.down & by.ordinary_word) | (row[i] << by.up & ~by.ordinary_word);
        });
      case Rotations::Alignment::whole_words:
        return by_word([&](std::size_t i) { return row[by.from[i]]; });
      case Rotations::Alignment::any:
        break;
    }
    return by_word([&](std::size_t i) {
      return (moved_down(row, by.down, i) & by.ordinary[i]) | (moved_up(row, by.up, i) & ~by.ordinary[i]);
    });
  }
  /// Word i of the row moved by `bits` to lower, or higher, positions.
  static std::uint64_t moved_down(const Row& row, std::uint32_t bits, std::size_t i) {
    const std::size_t from = i + bits / 64;
    const std::uint64_t low = from < count ? row[from] >> bits % 64 : 0;
    return bits % 64 == 0 || from + 1 >= count ? low : low | row[from + 1] << (64 - bits % 64);
  }
  static std::uint64_t moved_up(const Row& row, std::uint32_t bits, std::size_t i) {
    if (i < bits / 64) return 0;
    const std::size_t from = i - bits / 64;
    const std::uint64_t high = row[from] << bits % 64;
    return bits % 64 == 0 || from == 0 ? high : high | row[from - 1] >> (64 - bits % 64);
  }

  const LegGeometry& geometry_;
  std::vector<Rotations> rotations_;
};

}  // namespace

std::unique_ptr<LegSearch> make_word_leg_search(const LegGeometry& geometry) {
  const std::uint32_t switches = geometry.switches();
  if (switches <= 64) return std::make_unique<LegSearchOf<WordLanes<1>>>(geometry);
  if (switches <= 256) return std::make_unique<LegSearchOf<WordLanes<4>>>(geometry);
  if (switches <= 512) return std::make_unique<LegSearchOf<WordLanes<8>>>(geometry);
  if (switches <= 1024) return std::make_unique<LegSearchOf<WordLanes<16>>>(geometry);
  return std::make_unique<LegSearchOf<WordLanes<64>>>(geometry);
}

}  // namespace faultline
