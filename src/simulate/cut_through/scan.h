// SPDX-License-Identifier: Apache-2.0
// Looking at the times of all ports of a switch at once. `count` is a multiple of scan_width.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simulate/clock.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace faultline::cut_through {

inline constexpr std::size_t scan_width = 8;

#ifdef __SSE2__

/// Bit i: times[i] is not after `now`.
[[nodiscard]] inline std::uint64_t due(const Time* times, std::size_t count, Time now) {
  const __m128i limit = _mm_set1_epi32(now);
  const auto later = [&](std::size_t first) {  // eight words of all ones or all zeros
    const auto* at = reinterpret_cast<const __m128i*>(times + first);
    return _mm_packs_epi32(_mm_cmpgt_epi32(_mm_loadu_si128(at), limit),
                           _mm_cmpgt_epi32(_mm_loadu_si128(at + 1), limit));
  };
  std::uint64_t mask = 0;
  std::size_t i = 0;
  for (; i + 2 * scan_width <= count; i += 2 * scan_width)
    mask |= std::uint64_t{static_cast<std::uint16_t>(
                _mm_movemask_epi8(_mm_packs_epi16(later(i), later(i + scan_width))))}
            << i;
  if (i < count)
    mask |= std::uint64_t{static_cast<std::uint8_t>(_mm_movemask_epi8(_mm_packs_epi16(later(i), later(i))))}
            << i;
  return ~mask & (~std::uint64_t{0} >> (64 - count));
}

/// The earliest of the times after `now`; `never` when there is none.
[[nodiscard]] inline Time earliest_after(const Time* times, std::size_t count, Time now) {
  const __m128i limit = _mm_set1_epi32(now);
  const __m128i none = _mm_set1_epi32(never);
  const auto smaller = [](__m128i a, __m128i b) {
    const __m128i b_is = _mm_cmpgt_epi32(a, b);
    return _mm_or_si128(_mm_and_si128(b_is, b), _mm_andnot_si128(b_is, a));
  };
  __m128i least = none;
  for (std::size_t i = 0; i < count; i += 4) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(times + i));
    const __m128i after = _mm_cmpgt_epi32(values, limit);
    least = smaller(least, _mm_or_si128(_mm_and_si128(after, values), _mm_andnot_si128(after, none)));
  }
  least = smaller(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(1, 0, 3, 2)));
  least = smaller(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(2, 3, 0, 1)));
  return _mm_cvtsi128_si32(least);
}

#else

[[nodiscard]] inline std::uint64_t due(const Time* times, std::size_t count, Time now) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < count; ++i) mask |= std::uint64_t{times[i] <= now} << i;
  return mask;
}

[[nodiscard]] inline Time earliest_after(const Time* times, std::size_t count, Time now) {
  Time least = never;
  for (std::size_t i = 0; i < count; ++i) least = times[i] > now ? std::min(least, times[i]) : least;
  return least;
}

#endif

}  // namespace faultline::cut_through
