// SPDX-License-Identifier: Apache-2.0
// The scans with 8 ports in one register. Not to be called before `available` returns true.
#pragma once

#include "simulate/cut_through/scan.h"

#ifdef FAULTLINE_VECTOR_SCANS
#include <immintrin.h>

#define FAULTLINE_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt")]]

namespace faultline::cut_through {

struct Avx2Scan {
  static bool available() {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
  }

  FAULTLINE_AVX2 [[nodiscard]] static unsigned nth(std::uint64_t set, std::uint32_t rank) {
    return deposits_fast ? static_cast<unsigned>(_tzcnt_u64(_pdep_u64(bit(rank), set))) : nth_bit(set, rank);
  }
  FAULTLINE_AVX2 [[nodiscard]] static unsigned count(std::uint64_t set) {
    return static_cast<unsigned>(_mm_popcnt_u64(set));
  }

  template <std::uint32_t Ports>
  FAULTLINE_AVX2 [[nodiscard]] static std::uint64_t due(const Time* times, Time now) {
    const __m256i limit = _mm256_set1_epi32(now);
    return ~bits<Ports>(Later{times, limit}) & (~std::uint64_t{0} >> (64 - Ports));
  }

  template <std::uint32_t Ports>
  FAULTLINE_AVX2 [[nodiscard]] static NarrowResult look(const Time* eligible, const Time* free,
                                                        const std::uint32_t* candidates, Time now) {
    NarrowResult result{due<Ports>(eligible, now), due<Ports>(free, now), 0};
    const auto low = static_cast<int>(result.available), high = static_cast<int>(result.available >> 32);
    const std::uint64_t missing =
        bits<Ports>(Misses<Ports>{candidates, _mm256_set1_epi32(low), _mm256_set1_epi32(high)});
    result.meeting = result.ready & ~missing;
    return result;
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static std::uint64_t wanted(const std::uint32_t* candidates, std::uint64_t set) {
    return PlainScan::wanted<Ports>(candidates, set);
  }

  template <std::uint32_t Ports>
  FAULTLINE_AVX2 [[nodiscard]] static Time next(const Time* eligible, Time now, const Time* free,
                                                std::uint64_t set) {
    const __m256i limit = _mm256_set1_epi32(now);
    const __m256i none = _mm256_set1_epi32(never);
    __m256i least = none;
    for (std::uint32_t i = 0; i < Ports; i += 8) {
      const __m256i times = load(eligible + i);
      least = _mm256_min_epi32(least, _mm256_blendv_epi8(none, times, _mm256_cmpgt_epi32(times, limit)));
    }
    if (set != 0)
      for (std::uint32_t i = 0; i < Ports; i += 8)
        least = _mm256_min_epi32(least, _mm256_blendv_epi8(none, load(free + i), words(set >> i)));
    const __m128i half = _mm_min_epi32(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
    const __m128i two = _mm_min_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm_cvtsi128_si32(_mm_min_epi32(two, _mm_shuffle_epi32(two, _MM_SHUFFLE(2, 3, 0, 1))));
  }

 private:
  /// AMD's processors before Zen 3 take a hundred cycles for pdep.
  inline static const bool deposits_fast = __builtin_cpu_is("znver1") == 0 && __builtin_cpu_is("znver2") == 0;

  FAULTLINE_AVX2 static __m256i load(const void* at) {
    return _mm256_load_si256(static_cast<const __m256i*>(at));
  }
  // Eight words from port i on: all ones where that is so.
  struct Later {
    const Time* times;
    __m256i limit;
    FAULTLINE_AVX2 __m256i operator()(std::uint32_t i) const {
      return _mm256_cmpgt_epi32(load(times + i), limit);
    }
  };
  template <std::uint32_t Ports>
  struct Misses {
    const std::uint32_t* candidates;
    __m256i low, high;  ///< outputs
    FAULTLINE_AVX2 __m256i operator()(std::uint32_t i) const {
      __m256i met = _mm256_and_si256(load(candidates + i), low);
      if constexpr (rows_a_switch<Ports> == 2)
        met = _mm256_or_si256(met, _mm256_and_si256(load(candidates + Ports + i), high));
      return _mm256_cmpeq_epi32(met, _mm256_setzero_si256());
    }
  };

  /// Of such words: a bit a port.
  template <std::uint32_t Ports, class Words>
  FAULTLINE_AVX2 static std::uint64_t bits(Words words) {
    std::uint64_t found = 0;
    if constexpr (Ports <= 16) {
      for (std::uint32_t i = 0; i < Ports; i += 8)
        found |= std::uint64_t{static_cast<std::uint8_t>(_mm256_movemask_ps(_mm256_castsi256_ps(words(i))))}
                 << i;
    } else {
      for (std::uint32_t i = 0; i < Ports; i += 32) {
        const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(words(i), words(i + 8)),
                                                 _mm256_packs_epi32(words(i + 16), words(i + 24)));
        const __m256i in_order =
            _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        found |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(in_order))} << i;
      }
    }
    return found;
  }
  /// Eight words: all ones where the bit, of the lowest eight, is set.
  FAULTLINE_AVX2 static __m256i words(std::uint64_t bits) {
    const __m256i bits_of_lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(
        _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits & 0xff)), bits_of_lanes), bits_of_lanes);
  }
};

}  // namespace faultline::cut_through

#else

#define FAULTLINE_AVX2

namespace faultline::cut_through {

using Avx2Scan = UnavailableScan;

}  // namespace faultline::cut_through

#endif
