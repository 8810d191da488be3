// SPDX-License-Identifier: Apache-2.0
// Vectors of words as the compiler knows them, for processors without masks of lanes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simulate/kernels/bit_transpose_plain.h"
#include "simulate/kernels/vector_state.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace faultline::wormhole::planes {

template <class LaneWord, std::uint32_t VectorBytes>
struct PlainVectors {
  using Word = LaneWord;
  using Element = std::conditional_t<sizeof(Word) == 1, std::uint8_t, Word>;
  typedef Element Vector __attribute__((vector_size(VectorBytes)));
  static constexpr std::uint32_t lanes = VectorBytes / sizeof(Word);
  static constexpr bool permutes = VectorBytes > 16;
  /// Bytes of all ports become rows at once, and rows bytes. Up to 8 ports it is faster port by port.
  static constexpr bool transposes = sizeof(Word) > 1;
  /// Few lanes: what is known by input is looked up by output, word by word.
  static constexpr bool looks_up = lanes == 2;
  static constexpr std::uint32_t register_count = 16;
  using Registers = std::conditional_t<VectorBytes == 16, Registers16, Registers32>;

  static Vector zero() { return Vector{}; }
  static Vector load(const Word* words) {
    Vector vector;
    std::memcpy(&vector, words, sizeof vector);
    return vector;
  }
  static void store(Word* words, Vector vector) { std::memcpy(words, &vector, sizeof vector); }
  static Vector set1(Word word) { return Vector{} + static_cast<Element>(word); }

  static Vector and_not(Vector a, Vector b) { return a & ~b; }
  static Vector or3(Vector a, Vector b, Vector c) { return a | b | c; }
  static Vector and3(Vector a, Vector b, Vector c) { return a & b & c; }
  static Vector and_xor(Vector a, Vector b, Vector c) { return a & (b ^ c); }
  static Vector and_not_of_and_not(Vector a, Vector b, Vector c) { return a & ~(b & ~c); }
  static Vector or_and(Vector a, Vector b, Vector c) { return a | (b & c); }
  static Vector or_and_not(Vector a, Vector b, Vector c) { return a | (b & ~c); }
  static Vector xor3(Vector a, Vector b, Vector c) { return a ^ b ^ c; }
  static Vector majority(Vector a, Vector b, Vector c) { return (a & b) | (c & (a ^ b)); }
  static Vector or_xor(Vector a, Vector b, Vector c) { return a | (b ^ c); }
  static Vector and_and_not(Vector a, Vector b, Vector c) { return a & b & ~c; }
  static Vector and_not_not(Vector a, Vector b, Vector c) { return a & ~b & ~c; }

  // By lane
  static bool any(Vector a) {
#ifdef __AVX2__
    if constexpr (VectorBytes == 32) return _mm256_testz_si256((__m256i)a, (__m256i)a) == 0;
#endif
    return folded(a) != 0;
  }
  static std::uint64_t lanes_of(Vector a) {
#ifdef __AVX2__
    const auto filled = (__m256i)(a != 0);
    if constexpr (sizeof(Word) == 1) return static_cast<std::uint32_t>(_mm256_movemask_epi8(filled));
    if constexpr (sizeof(Word) == 2)
      return static_cast<std::uint32_t>(_mm_movemask_epi8(
          _mm_packs_epi16(_mm256_castsi256_si128(filled), _mm256_extracti128_si256(filled, 1))));
    if constexpr (sizeof(Word) == 4) return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)filled));
    if constexpr (sizeof(Word) == 8) return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)filled));
#elif defined(__SSE2__)
    const auto filled = (__m128i)~is_zero(a);
    if constexpr (sizeof(Word) == 1) return static_cast<std::uint32_t>(_mm_movemask_epi8(filled));
    if constexpr (sizeof(Word) == 2)
      return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(filled, _mm_setzero_si128())));
    if constexpr (sizeof(Word) == 4) return static_cast<std::uint32_t>(_mm_movemask_ps((__m128)filled));
    if constexpr (sizeof(Word) == 8) return static_cast<std::uint32_t>(_mm_movemask_pd((__m128d)filled));
#else
    std::uint64_t found = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) found |= std::uint64_t{a[lane] != 0 ? 1U : 0U} << lane;
    return found;
#endif
  }
  static Word or_of_lanes(Vector a) {
    std::uint64_t bits = folded(a);
    for (std::uint32_t width = 32; width >= sizeof(Word) * 8; width /= 2) bits |= bits >> width;
    return static_cast<Word>(bits);
  }
  static Vector lowest_bit(Vector a) { return a & -a; }
  /// The bits above the one that a has; b where it has none.
  static Vector bits_above_or(Vector a, Vector b) { return -(a + a) | (b & is_zero(a)); }
  /// All bits of the lanes in which a and b have one in common.
  static Vector spread(Vector a, Vector b) { return ~is_zero(a & b); }
  static Vector nonzero_or(Vector a, Vector b) { return a | (b & is_zero(a)); }
  /// `value` in the lanes in which a and b have a bit in common.
  static Vector add_where_common(Vector sum, Vector a, Vector b, Vector value) {
    return sum | (value & spread(a, b));
  }

  // One byte a lane
  using CodedRegisters = std::conditional_t<transposes, Registers16, Registers>;
  using Coded = typename CodedRegisters::Bytes;
  using Codes = Coded;
  static Coded permute([[maybe_unused]] const std::uint8_t* first,
                       [[maybe_unused]] const std::uint8_t* second,
                       [[maybe_unused]] const std::uint8_t* index, [[maybe_unused]] std::uint64_t open) {
    Coded found{};
#ifdef __AVX2__
    if constexpr (lanes == 32) {
      const auto load = [](const std::uint8_t* bytes) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
      };
      const __m256i at = load(index);
      // Bytes move within halves of a register only: bit 4 of an index says from which half, bit 5 of which.
      const auto of = [&](__m256i from) {
        const __m256i low = _mm256_shuffle_epi8(_mm256_permute2x128_si256(from, from, 0x00), at),
                      high = _mm256_shuffle_epi8(_mm256_permute2x128_si256(from, from, 0x11), at);
        return _mm256_blendv_epi8(low, high, _mm256_slli_epi16(at, 3));
      };
      found = (Coded)_mm256_blendv_epi8(of(load(first)), of(load(second)), _mm256_slli_epi16(at, 2));
    } else {
      const __m128i at = _mm_loadu_si128(reinterpret_cast<const __m128i*>(index));
      __m128i a = _mm_setzero_si128(), b = a;  // the index of the second begins at 16
      std::memcpy(&a, first, lanes);
      std::memcpy(&b, second, lanes);
      const __m128i from_second = _mm_cmpgt_epi8(at, _mm_set1_epi8(15));
      found = (Coded)_mm_blendv_epi8(_mm_shuffle_epi8(a, at), _mm_shuffle_epi8(b, at), from_second);
    }
    found &= opened(open);
#endif
    return found;
  }
  static Coded no_bytes() { return Coded{}; }
  static Coded low_halves(Coded bytes) { return bytes & std::uint8_t{0x0f}; }
  static Coded high_halves(Coded bytes) { return bytes & std::uint8_t{0xf0}; }
  static void store_codes(std::uint8_t* bytes, Codes codes) { std::memcpy(bytes, &codes, lanes); }

  // Port by port
  static Coded gathered(const std::uint8_t* bytes, std::uint64_t open) {
    static_assert(!transposes);
    return gathered_bytes(bytes, open);
  }
  static Coded raised(Coded bytes) { return low_halves(bytes) << 4; }
  /// `value` in the lanes whose byte has a bit in common with `code`.
  static Vector add_where(Vector sum, Coded bytes, unsigned code, Vector value) {
    static_assert(!transposes);
    return sum | (value & spread(bytes, set1(static_cast<Word>(code))));
  }
  /// The code in the bytes of the lanes in which a and b have a bit in common.
  static Codes mark(Codes codes, Vector a, Vector b, unsigned code) {
    static_assert(!transposes);
    return codes | (spread(a, b) & set1(static_cast<Word>(code)));
  }

  // All ports at once

  /// Adds 64 bytes of the log, those that are open; `raise`: low halves as high ones.
  static void add_line(Vector* registers, const std::uint8_t* bytes, std::uint64_t open, bool raise) {
    for (std::uint32_t at = 0; open != 0; at += sizeof(Coded), open >>= sizeof(Coded)) {
      Coded here = gathered_bytes(bytes + at, open);
      if (raise) here = raised(here);
      auto* const to = reinterpret_cast<std::uint8_t*>(registers) + at;
      Coded before;
      std::memcpy(&before, to, sizeof before);
      before |= here;
      std::memcpy(to, &before, sizeof before);
    }
  }
  /// From bytes [port][lane], of as many ports as a word has bits, to a row for each of their bits.
  static void to_rows(Vector (&registers)[8]) {
    typename Transpose::Bytes bytes[8];
    std::memcpy(bytes, registers, sizeof bytes);
    Transpose::to_rows(bytes);
    std::memcpy(registers, bytes, sizeof bytes);
  }
  /// The reverse: the first `count` bytes.
  static void to_bytes(Vector (&rows)[8], std::uint8_t* to, std::uint32_t count) {
    typename Transpose::Bytes bytes[8];
    std::memcpy(bytes, rows, sizeof bytes);
    Transpose::to_bytes(bytes);
    std::memcpy(to, bytes, count);
  }

 private:
  typedef std::int32_t Halves __attribute__((vector_size(16)));

  using Transpose = PlainBitTranspose<port_bits<Word>, Registers>;

  static Coded gathered_bytes(const std::uint8_t* bytes, std::uint64_t open) {
    Coded found;
    std::memcpy(&found, bytes, sizeof found);
    return found & opened(open);
  }
  /// All bits of the lanes that are zero. Words of 64 bits by halves: SSE2 has no comparison of them, and GCC
  /// would take the register apart.
  static Vector is_zero(Vector a) {
    if constexpr (sizeof(Word) == 8 && VectorBytes == 16) {
      const auto zero_halves = (Halves)((Halves)a == 0);
      return (Vector)(zero_halves & __builtin_shufflevector(zero_halves, zero_halves, 1, 0, 3, 2));
    } else {
      return (Vector)(a == 0);
    }
  }
  static std::uint64_t folded(Vector a) {
    std::uint64_t words[VectorBytes / 8], all = 0;
    std::memcpy(words, &a, sizeof words);
    for (const std::uint64_t word : words) all |= word;
    return all;
  }
  /// All bits of the bytes that are set in `open`.
  static Coded opened(std::uint64_t open) {
    const auto eight = [open](std::uint32_t number) {
      return (open >> 8 * number & 0xff) * 0x0101010101010101;
    };
    typename CodedRegisters::Words bits;
    if constexpr (sizeof(Coded) == 16)
      bits = typename CodedRegisters::Words{eight(0), eight(1)};
    else
      bits = typename CodedRegisters::Words{eight(0), eight(1), eight(2), eight(3)};
    const auto own = (Coded)(typename CodedRegisters::Words{} + 0x8040201008040201);
    return (Coded)(((Coded)bits & own) == own);
  }
};

}  // namespace faultline::wormhole::planes
