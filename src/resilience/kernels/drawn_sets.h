// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "faultline/base/random.h"
#include "resilience/kernels/on_device.h"

namespace faultline::survival {

/// Sets first … first + count - 1 of those that FaultSetSampler draws.
struct DrawnSets {
  std::uint64_t seed;
  std::uint32_t faults;
  std::uint64_t first, count;
};

/// The Philox stream that a fault set is drawn from.
FAULTLINE_ON_DEVICE constexpr std::uint64_t stream_of_set(std::uint32_t faults, std::uint64_t number) {
  return (std::uint64_t{faults} << 40) | number;
}

/// Whether the components that do not fail are drawn, because most do fail.
FAULTLINE_ON_DEVICE constexpr bool draws_spared(std::uint32_t faults, std::uint32_t components) {
  return faults > components / 2;
}

/// Draws `count` of `components` components: word(i) is the i-th random word of the set's stream, take(c)
/// whether c was not drawn before. Repetitions are drawn again.
template <class Word, class Take>
FAULTLINE_ON_DEVICE void draw_distinct(std::uint32_t count, std::uint32_t components, Word word, Take take) {
  for (std::uint32_t i = 0; count != 0; ++i)
    if (take(below(word(i), components))) --count;
}

}  // namespace faultline::survival
