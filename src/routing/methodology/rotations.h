// SPDX-License-Identifier: Apache-2.0
// How the bits of a row move when every switch reads its neighbour in a dimension.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "routing/methodology/leg_geometry.h"

namespace faultline {

/// For a dimension: bit u of a rotated row is the bit of the switch `amount` further along u's ring.
struct Rotations {
  enum class Alignment : std::uint8_t {
    in_word,      ///< whole rings lie within words
    whole_words,  ///< neighbours are words apart
    any,
  };
  struct Amount {
    std::uint32_t down = 0, up = 0;       ///< bits that ordinary and wrapping switches' values move
    std::uint64_t ordinary_word = 0;      ///< in_word: the ordinary switches, alike in every word
    std::vector<std::uint64_t> ordinary;  ///< those that do not wrap
    std::vector<std::uint64_t> from;      ///< whole_words: the word that each word comes from
  };
  Alignment alignment = Alignment::any;
  std::vector<Amount> by_amount;
};

/// By dimension, for rows of `words` words.
[[nodiscard]] std::vector<Rotations> rotations_of(const LegGeometry& geometry, std::size_t words);

}  // namespace faultline
