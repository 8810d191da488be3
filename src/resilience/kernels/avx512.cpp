// SPDX-License-Identifier: Apache-2.0
// 512 lanes in one register. Compiled for AVX-512: not to be called before `available` returns true.
#include "resilience/kernels/kernel.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace faultline::survival {

#ifdef __AVX512F__
namespace {

#include "resilience/kernels/run_program.h"

struct Avx512 {
  using Vector = __m512i;
  static constexpr std::uint32_t words = 8, held = words;
  // Masked forms with every lane: GCC 12 calls the plain ones' undefined sources uninitialised.
  static constexpr __mmask8 all_lanes = 0xFF;
  static constexpr int r_or_a_and_b = 0xF8, a_without_b = 0x30, a_xor_b_xor_c = 0x96, two_of_three = 0xE8;
  static Vector load(const std::uint64_t* from) { return _mm512_load_si512(from); }
  static void store(std::uint64_t* to, Vector v) { _mm512_store_si512(to, v); }
  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector ones() { return _mm512_set1_epi64(-1); }
  static Vector both(Vector a, Vector b) { return _mm512_and_si512(a, b); }
  static Vector either(Vector a, Vector b) { return _mm512_or_si512(a, b); }
  static Vector differ(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
  static Vector without(Vector a, Vector b) { return _mm512_ternarylogic_epi64(a, b, b, a_without_b); }
  static Vector sum_of_product(Vector r, Vector a, Vector b) {
    return _mm512_ternarylogic_epi64(r, a, b, r_or_a_and_b);
  }
  static Vector differ3(Vector a, Vector b, Vector c) {
    return _mm512_ternarylogic_epi64(a, b, c, a_xor_b_xor_c);
  }
  static Vector majority(Vector a, Vector b, Vector c) {
    return _mm512_ternarylogic_epi64(a, b, c, two_of_three);
  }
  static Vector same(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }
  static Vector high(Vector v) { return _mm512_maskz_srli_epi64(all_lanes, v, 32); }
  static Vector multiply_low(Vector a, Vector b) { return _mm512_maskz_mul_epu32(all_lanes, a, b); }
  static bool is_zero(Vector v) { return _mm512_test_epi64_mask(v, v) == 0; }
  static bool is_ones(Vector v) { return _mm512_cmpneq_epi64_mask(v, ones()) == 0; }
};

}  // namespace

extern constinit const Kernel avx512_kernel{"avx512", Avx512::words,
                                            [] { return __builtin_cpu_supports("avx512f") != 0; },
                                            run_program<Avx512>, philox_of_16_streams<Avx512>};
#else
extern constinit const Kernel avx512_kernel{"avx512", 8, [] { return false; }, nullptr, nullptr};
#endif

}  // namespace faultline::survival
