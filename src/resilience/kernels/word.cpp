// SPDX-License-Identifier: Apache-2.0
// 64 lanes in a machine word: any processor.
#include "resilience/kernels/kernel.h"

namespace faultline::survival {
namespace {

#include "resilience/kernels/run_program.h"

struct Word {
  using Vector = std::uint64_t;
  static constexpr std::uint32_t words = 1, held = words;
  static Vector load(const std::uint64_t* from) { return *from; }
  static void store(std::uint64_t* to, Vector v) { *to = v; }
  static Vector zero() { return 0; }
  static Vector ones() { return ~std::uint64_t{0}; }
  static Vector both(Vector a, Vector b) { return a & b; }
  static Vector either(Vector a, Vector b) { return a | b; }
  static Vector differ(Vector a, Vector b) { return a ^ b; }
  static Vector without(Vector a, Vector b) { return a & ~b; }
  static Vector sum_of_product(Vector r, Vector a, Vector b) { return r | (a & b); }
  static Vector differ3(Vector a, Vector b, Vector c) { return a ^ b ^ c; }
  static Vector majority(Vector a, Vector b, Vector c) { return (a & b) | (c & (a ^ b)); }
  static Vector same(std::uint64_t value) { return value; }
  static Vector high(Vector v) { return v >> 32; }
  static Vector multiply_low(Vector a, Vector b) { return (a & 0xFFFFFFFFU) * (b & 0xFFFFFFFFU); }
  static bool is_zero(Vector v) { return v == 0; }
  static bool is_ones(Vector v) { return ~v == 0; }
};

}  // namespace

extern constinit const Kernel word_kernel{"word", Word::words, [] { return true; }, run_program<Word>,
                                          philox_of_16_streams<Word>};

}  // namespace faultline::survival
