// SPDX-License-Identifier: Apache-2.0
// Examines all ports of a switch at once: `Ports` of them, 8, 16, 32 or 64; wide_scan.h has more. Times and
// candidates are those of NetworkState. All versions give the same answers; scan_avx2.h and scan_avx512.h are
// for newer processors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "faultline/simulate/clock.h"
#include "simulate/cut_through/port_sets.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#define FAULTLINE_VECTOR_SCANS
#endif

namespace faultline::cut_through {

/// What a switch finds in a cycle.
template <class Set>
struct ScanResult {
  Set ready;      ///< inputs whose heads may be granted
  Set available;  ///< outputs that are free
  Set meeting;    ///< the ready ones that want an available one
};
using NarrowResult = ScanResult<std::uint64_t>;

/// Rows of candidates, an entry an input: entry i of row r has outputs 32 * r and following. For more than 64
/// ports there is one row of whole sets.
template <std::uint32_t Ports>
inline constexpr std::uint32_t rows_a_switch = Ports == 64 ? 2 : 1;

/// One port after the other, in portable code.
struct PlainScan {
  /// Port number `rank` (from 0, below their count) of a set.
  [[nodiscard]] static unsigned nth(std::uint64_t set, std::uint32_t rank) { return nth_bit(set, rank); }
  [[nodiscard]] static unsigned count(std::uint64_t set) { return cut_through::count(set); }

  /// Bit i: times[i] is not after `now`.
  template <std::uint32_t Ports>
  [[nodiscard]] static std::uint64_t due(const Time* times, Time now) {
    std::uint64_t mask = 0;
    for (std::uint32_t i = 0; i < Ports; ++i) mask |= std::uint64_t{times[i] <= now} << i;
    return mask;
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static NarrowResult look(const Time* eligible, const Time* free,
                                         const std::uint32_t* candidates, Time now) {
    NarrowResult result{due<Ports>(eligible, now), due<Ports>(free, now), 0};
    for (const std::uint32_t input : ports_of(result.ready))
      if ((wanted_by<Ports>(candidates, input) & result.available) != 0) result.meeting |= bit(input);
    return result;
  }

  /// All outputs that the inputs of `set` want.
  template <std::uint32_t Ports>
  [[nodiscard]] static std::uint64_t wanted(const std::uint32_t* candidates, std::uint64_t set) {
    std::uint64_t found = 0;
    for (const std::uint32_t input : ports_of(set)) found |= wanted_by<Ports>(candidates, input);
    return found;
  }

  /// The earliest of the times of the eligible that are after `now`, and of those at which `set` is free;
  /// `never` if there is none.
  template <std::uint32_t Ports>
  [[nodiscard]] static Time next(const Time* eligible, Time now, const Time* free, std::uint64_t set) {
    Time least = never;
    for (std::uint32_t i = 0; i < Ports; ++i)
      least = std::min(least, eligible[i] > now ? eligible[i] : never);
    return std::min(least, earliest_of(free, set));
  }

 private:
  friend struct Sse2Scan;
  template <std::uint32_t Ports>
  static std::uint64_t wanted_by(const std::uint32_t* candidates, unsigned input) {
    std::uint64_t found = candidates[input];
    if constexpr (rows_a_switch<Ports> == 2) found |= std::uint64_t{candidates[Ports + input]} << 32;
    return found;
  }
  static Time earliest_of(const Time* times, std::uint64_t set) {
    Time least = never;
    for (const std::uint32_t port : ports_of(set)) least = std::min(least, times[port]);
    return least;
  }
};

#ifdef __SSE2__

/// What every x86-64 has.
struct Sse2Scan : PlainScan {
  template <std::uint32_t Ports>
  [[nodiscard]] static std::uint64_t due(const Time* times, Time now) {
    const __m128i limit = _mm_set1_epi32(now);
    return ~bits<Ports>([&](std::uint32_t i) { return _mm_cmpgt_epi32(load(times + i), limit); }) &
           (~std::uint64_t{0} >> (64 - Ports));
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static NarrowResult look(const Time* eligible, const Time* free,
                                         const std::uint32_t* candidates, Time now) {
    NarrowResult result{due<Ports>(eligible, now), due<Ports>(free, now), 0};
    std::uint64_t missing = ~std::uint64_t{0};
    for (std::uint32_t row = 0; row < rows_a_switch<Ports>; ++row) {
      const __m128i available = _mm_set1_epi32(static_cast<int>(result.available >> (32 * row)));
      missing &= bits<Ports>([&](std::uint32_t i) {
        return _mm_cmpeq_epi32(_mm_and_si128(load(candidates + std::size_t{row} * Ports + i), available),
                               _mm_setzero_si128());
      });
    }
    result.meeting = result.ready & ~missing;
    return result;
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static std::uint64_t wanted(const std::uint32_t* candidates, std::uint64_t set) {
    return PlainScan::wanted<Ports>(candidates, set);
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static Time next(const Time* eligible, Time now, const Time* free, std::uint64_t set) {
    const __m128i limit = _mm_set1_epi32(now);
    const __m128i none = _mm_set1_epi32(never);
    const auto smaller = [](__m128i a, __m128i b) {
      const __m128i b_is = _mm_cmpgt_epi32(a, b);
      return _mm_or_si128(_mm_and_si128(b_is, b), _mm_andnot_si128(b_is, a));
    };
    __m128i least = none;
    for (std::uint32_t i = 0; i < Ports; i += 4) {
      const __m128i values = load(eligible + i);
      const __m128i after = _mm_cmpgt_epi32(values, limit);
      least = smaller(least, _mm_or_si128(_mm_and_si128(after, values), _mm_andnot_si128(after, none)));
    }
    least = smaller(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(1, 0, 3, 2)));
    least = smaller(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(2, 3, 0, 1)));
    return std::min(_mm_cvtsi128_si32(least), PlainScan::earliest_of(free, set));
  }

 private:
  static __m128i load(const void* at) { return _mm_load_si128(static_cast<const __m128i*>(at)); }

  /// Of four words of all ones or all zeros from port i on.
  template <std::uint32_t Ports, class Words>
  static std::uint64_t bits(Words words) {
    const auto eight = [&](std::uint32_t i) { return _mm_packs_epi32(words(i), words(i + 4)); };
    if constexpr (Ports == 8)
      return static_cast<std::uint8_t>(_mm_movemask_epi8(_mm_packs_epi16(eight(0), _mm_setzero_si128())));
    std::uint64_t found = 0;
    for (std::uint32_t i = 0; i + 16 <= Ports; i += 16)
      found |= std::uint64_t{static_cast<std::uint16_t>(
                   _mm_movemask_epi8(_mm_packs_epi16(eight(i), eight(i + 8))))}
               << i;
    return found;
  }
};

using BaseScan = Sse2Scan;

#else

using BaseScan = PlainScan;

#endif

/// In place of one that this compiler cannot compile.
struct UnavailableScan : BaseScan {
  static bool available() { return false; }
};

}  // namespace faultline::cut_through
