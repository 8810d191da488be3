// SPDX-License-Identifier: Apache-2.0
// The scans with 16 ports in one register. Not to be called before `available` returns true.
#pragma once

#include "simulate/cut_through/scan.h"

#ifdef FAULTLINE_VECTOR_SCANS
#include <immintrin.h>

#define FAULTLINE_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")]]

namespace faultline::cut_through {

struct Avx512Scan {
  static bool available() {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("bmi2") != 0;
  }

  FAULTLINE_AVX512 [[nodiscard]] static unsigned nth(std::uint64_t set, std::uint32_t rank) {
    return static_cast<unsigned>(_tzcnt_u64(_pdep_u64(bit(rank), set)));
  }
  FAULTLINE_AVX512 [[nodiscard]] static unsigned count(std::uint64_t set) {
    return static_cast<unsigned>(_mm_popcnt_u64(set));
  }

  template <std::uint32_t Ports>
  FAULTLINE_AVX512 [[nodiscard]] static std::uint64_t due(const Time* times, Time now) {
    std::uint64_t found = 0;
    for (std::uint32_t i = 0; i < Ports; i += 16)
      found |= std::uint64_t{_mm512_cmple_epi32_mask(load<Ports>(times + i), _mm512_set1_epi32(now))} << i;
    return found;
  }

  template <std::uint32_t Ports>
  FAULTLINE_AVX512 [[nodiscard]] static NarrowResult look(const Time* eligible, const Time* free,
                                                          const std::uint32_t* candidates, Time now) {
    NarrowResult result{due<Ports>(eligible, now), due<Ports>(free, now), 0};
    for (std::uint32_t row = 0; row < rows_a_switch<Ports>; ++row)
      for (std::uint32_t i = 0; i < Ports; i += 16)
        result.meeting |= std::uint64_t{_mm512_test_epi32_mask(
                              load<Ports>(candidates + std::size_t{row} * Ports + i),
                              _mm512_set1_epi32(static_cast<int>(result.available >> (32 * row))))}
                          << i;
    result.meeting &= result.ready;
    return result;
  }

  template <std::uint32_t Ports>
  FAULTLINE_AVX512 [[nodiscard]] static std::uint64_t wanted(const std::uint32_t* candidates,
                                                             std::uint64_t set) {
    std::uint64_t found = 0;
    for (std::uint32_t row = 0; row < rows_a_switch<Ports>; ++row) {
      __m512i all = _mm512_setzero_si512();
      for (std::uint32_t i = 0; i < Ports; i += 16)
        all = _mm512_mask_or_epi32(all, static_cast<__mmask16>(set >> i), all,
                                   load<Ports>(candidates + std::size_t{row} * Ports + i));
      found |= std::uint64_t{static_cast<std::uint32_t>(reduce(all, Either()))} << (32 * row);
    }
    return found;
  }

  template <std::uint32_t Ports>
  FAULTLINE_AVX512 [[nodiscard]] static Time next(const Time* eligible, Time now, const Time* free,
                                                  std::uint64_t set) {
    __m512i least = _mm512_set1_epi32(never);
    for (std::uint32_t i = 0; i < Ports; i += 16) {
      const __m512i times = load<Ports>(eligible + i);
      const __mmask16 after = _mm512_cmpgt_epi32_mask(times, _mm512_set1_epi32(now));
      least = _mm512_mask_min_epi32(least, after, least, times);
      if (set != 0)
        least = _mm512_mask_min_epi32(least, static_cast<__mmask16>(set >> i), least, load<Ports>(free + i));
    }
    return reduce(least, Earlier());
  }

 private:
  /// Of 8 ports the upper half is never due, and wants nothing.
  template <std::uint32_t Ports>
  FAULTLINE_AVX512 static __m512i load(const Time* at) {
    if constexpr (Ports == 8) return _mm512_mask_loadu_epi32(_mm512_set1_epi32(never), 0xff, at);
    return _mm512_load_si512(at);
  }
  template <std::uint32_t Ports>
  FAULTLINE_AVX512 static __m512i load(const std::uint32_t* at) {
    if constexpr (Ports == 8) return _mm512_maskz_loadu_epi32(0xff, at);
    return _mm512_load_si512(at);
  }

  /// The reductions of immintrin.h make GCC 12 warn of its own undefined registers.
  template <class Join>
  FAULTLINE_AVX512 static int reduce(__m512i words, Join join) {
    const __m256i eight = join(_mm512_maskz_extracti64x4_epi64(0xff, words, 0),
                               _mm512_maskz_extracti64x4_epi64(0xff, words, 1));
    const __m256i four = join(eight, _mm256_permute4x64_epi64(eight, _MM_SHUFFLE(1, 0, 3, 2)));
    const __m256i two = join(four, _mm256_shuffle_epi32(four, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm256_cvtsi256_si32(join(two, _mm256_shuffle_epi32(two, _MM_SHUFFLE(2, 3, 0, 1))));
  }
  struct Either {
    FAULTLINE_AVX512 __m256i operator()(__m256i a, __m256i b) const { return _mm256_or_si256(a, b); }
  };
  struct Earlier {
    FAULTLINE_AVX512 __m256i operator()(__m256i a, __m256i b) const { return _mm256_min_epi32(a, b); }
  };
};

}  // namespace faultline::cut_through

#else

#define FAULTLINE_AVX512

namespace faultline::cut_through {

using Avx512Scan = UnavailableScan;

}  // namespace faultline::cut_through

#endif
