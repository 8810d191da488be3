// SPDX-License-Identifier: Apache-2.0
// 512 lanes in two 256-bit registers. Compiled for AVX2: not to be called before `available` returns true.
#include "resilience/kernels/kernel.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace faultline::survival {

#ifdef __AVX2__
namespace {

#include "resilience/kernels/run_program.h"

struct Avx2 {
  struct Vector {
    __m256i low, high;
  };
  static constexpr std::uint32_t words = 8, held = words;
  static Vector load(const std::uint64_t* from) {
    const auto* halves = reinterpret_cast<const __m256i*>(from);
    return {_mm256_load_si256(halves), _mm256_load_si256(halves + 1)};
  }
  static void store(std::uint64_t* to, Vector v) {
    auto* halves = reinterpret_cast<__m256i*>(to);
    _mm256_store_si256(halves, v.low);
    _mm256_store_si256(halves + 1, v.high);
  }
  static Vector zero() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
  static Vector ones() { return {_mm256_set1_epi64x(-1), _mm256_set1_epi64x(-1)}; }
  static Vector both(Vector a, Vector b) {
    return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
  }
  static Vector either(Vector a, Vector b) {
    return {_mm256_or_si256(a.low, b.low), _mm256_or_si256(a.high, b.high)};
  }
  static Vector differ(Vector a, Vector b) {
    return {_mm256_xor_si256(a.low, b.low), _mm256_xor_si256(a.high, b.high)};
  }
  static Vector without(Vector a, Vector b) {
    return {_mm256_andnot_si256(b.low, a.low), _mm256_andnot_si256(b.high, a.high)};
  }
  static Vector sum_of_product(Vector r, Vector a, Vector b) { return either(r, both(a, b)); }
  static Vector differ3(Vector a, Vector b, Vector c) { return differ(a, differ(b, c)); }
  static Vector majority(Vector a, Vector b, Vector c) { return either(both(a, b), both(c, differ(a, b))); }
  static Vector same(std::uint64_t value) {
    const __m256i half = _mm256_set1_epi64x(static_cast<long long>(value));
    return {half, half};
  }
  static Vector high(Vector v) { return {_mm256_srli_epi64(v.low, 32), _mm256_srli_epi64(v.high, 32)}; }
  static Vector multiply_low(Vector a, Vector b) {
    return {_mm256_mul_epu32(a.low, b.low), _mm256_mul_epu32(a.high, b.high)};
  }
  static bool is_zero(Vector v) {
    const __m256i any = _mm256_or_si256(v.low, v.high);
    return _mm256_testz_si256(any, any) != 0;
  }
  static bool is_ones(Vector v) {
    return _mm256_testc_si256(_mm256_and_si256(v.low, v.high), _mm256_set1_epi64x(-1)) != 0;
  }
};

}  // namespace

extern constinit const Kernel avx2_kernel{"avx2", Avx2::words,
                                          [] { return __builtin_cpu_supports("avx2") != 0; },
                                          run_program<Avx2>, philox_of_16_streams<Avx2>};
#else
extern constinit const Kernel avx2_kernel{"avx2", 8, [] { return false; }, nullptr, nullptr};
#endif

}  // namespace faultline::survival
