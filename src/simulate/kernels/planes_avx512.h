// SPDX-License-Identifier: Apache-2.0
// 512-bit registers for the vector part of the wormhole model. Data of one byte per lane fills less of a
// register than data of one word per lane.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simulate/kernels/bit_transpose_avx512.h"
#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

/// The register that holds a byte for each lane of words of `WordBytes` bytes.
template <std::size_t WordBytes>
struct LaneBytes {
  using type = __m128i;
};
template <>
struct LaneBytes<1> {
  using type = __m512i;
};
template <>
struct LaneBytes<2> {
  using type = __m256i;
};

template <class LaneWord>
struct Avx512 {
  using Word = LaneWord;
  using Vector = __m512i;
  static constexpr std::uint32_t lanes = 64 / sizeof(Word);
  static constexpr bool permutes = true;
  static constexpr std::uint32_t register_count = 32;
  static constexpr bool looks_up = false;
  /// Bytes of all ports become rows at once, and rows bytes. Up to 8 ports it is faster port by port.
  static constexpr bool transposes = sizeof(Word) > 1;
  using Mask =
      std::conditional_t<sizeof(Word) == 1, __mmask64,
                         std::conditional_t<sizeof(Word) == 2, __mmask32,
                                            std::conditional_t<sizeof(Word) == 4, __mmask16, __mmask8>>>;

#define FAULTLINE_INLINE [[gnu::always_inline]] static inline
  FAULTLINE_INLINE Vector zero() { return _mm512_setzero_si512(); }
  FAULTLINE_INLINE Vector load(const Word* words) { return _mm512_load_si512(words); }
  FAULTLINE_INLINE void store(Word* words, Vector vector) { _mm512_store_si512(words, vector); }
  FAULTLINE_INLINE Vector set1(Word word) {
    if constexpr (sizeof(Word) == 1) return _mm512_set1_epi8(static_cast<char>(word));
    if constexpr (sizeof(Word) == 2) return _mm512_set1_epi16(static_cast<short>(word));
    if constexpr (sizeof(Word) == 4) return _mm512_set1_epi32(static_cast<int>(word));
    if constexpr (sizeof(Word) == 8) return _mm512_set1_epi64(static_cast<long long>(word));
  }

  // Logic; the numbers are truth tables.
  FAULTLINE_INLINE Vector and_not(Vector a, Vector b) { return a & ~b; }
  FAULTLINE_INLINE Vector or3(Vector a, Vector b, Vector c) { return logic<0xfe>(a, b, c); }
  FAULTLINE_INLINE Vector and3(Vector a, Vector b, Vector c) { return logic<0x80>(a, b, c); }
  FAULTLINE_INLINE Vector and_xor(Vector a, Vector b, Vector c) { return logic<0x60>(a, b, c); }
  /// a & ~(b & ~c)
  FAULTLINE_INLINE Vector and_not_of_and_not(Vector a, Vector b, Vector c) { return logic<0xb0>(a, b, c); }
  FAULTLINE_INLINE Vector or_and(Vector a, Vector b, Vector c) { return logic<0xf8>(a, b, c); }
  FAULTLINE_INLINE Vector or_and_not(Vector a, Vector b, Vector c) { return logic<0xf4>(a, b, c); }
  FAULTLINE_INLINE Vector xor3(Vector a, Vector b, Vector c) { return logic<0x96>(a, b, c); }
  FAULTLINE_INLINE Vector majority(Vector a, Vector b, Vector c) { return logic<0xe8>(a, b, c); }
  FAULTLINE_INLINE Vector or_xor(Vector a, Vector b, Vector c) { return logic<0xf6>(a, b, c); }
  FAULTLINE_INLINE Vector and_and_not(Vector a, Vector b, Vector c) { return logic<0x40>(a, b, c); }
  FAULTLINE_INLINE Vector and_not_not(Vector a, Vector b, Vector c) { return logic<0x10>(a, b, c); }

  // By lane
  FAULTLINE_INLINE bool any(Vector a) { return _mm512_test_epi64_mask(a, a) != 0; }
  FAULTLINE_INLINE std::uint64_t lanes_of(Vector a) { return common(a, a); }
  FAULTLINE_INLINE Word or_of_lanes(Vector a) {
    alignas(64) std::uint64_t words[8];
    _mm512_store_si512(words, a);
    std::uint64_t bits = 0;
    for (const std::uint64_t word : words) bits |= word;
    for (std::uint32_t width = 32; width >= sizeof(Word) * 8; width /= 2) bits |= bits >> width;
    return static_cast<Word>(bits);
  }
  FAULTLINE_INLINE Vector lowest_bit(Vector a) { return a & sub(zero(), a); }
  /// The bits above the one that a has; b where it has none.
  FAULTLINE_INLINE Vector bits_above_or(Vector a, Vector b) { return where(a, sub(zero(), add(a, a)), b); }
  /// All bits of the lanes in which a and b have one in common.
  FAULTLINE_INLINE Vector spread(Vector a, Vector b) {
    const Mask mask = common(a, b);
    if constexpr (sizeof(Word) == 1) return _mm512_movm_epi8(mask);
    if constexpr (sizeof(Word) == 2) return _mm512_movm_epi16(mask);
    if constexpr (sizeof(Word) == 4) return _mm512_movm_epi32(mask);
    if constexpr (sizeof(Word) == 8) return _mm512_movm_epi64(mask);
  }
  FAULTLINE_INLINE Vector where(Vector condition, Vector a, Vector b) {
    const Mask mask = common(condition, condition);
    if constexpr (sizeof(Word) == 1) return _mm512_mask_blend_epi8(mask, b, a);
    if constexpr (sizeof(Word) == 2) return _mm512_mask_blend_epi16(mask, b, a);
    if constexpr (sizeof(Word) == 4) return _mm512_mask_blend_epi32(mask, b, a);
    if constexpr (sizeof(Word) == 8) return _mm512_mask_blend_epi64(mask, b, a);
  }
  FAULTLINE_INLINE Vector nonzero_or(Vector a, Vector b) { return where(a, a, b); }
  /// `value`, which sum does not hold yet, in the lanes in which a and b have a bit in common.
  FAULTLINE_INLINE Vector add_where_common(Vector sum, Vector a, Vector b, Vector value) {
    return add(sum, common(a, b), value);
  }

  // One byte a lane
  using Coded = typename LaneBytes<sizeof(Word)>::type;
  using Codes = Coded;
  FAULTLINE_INLINE Coded load_bytes(const std::uint8_t* bytes) {
    if constexpr (sizeof(Word) == 1) return _mm512_loadu_si512(bytes);
    if constexpr (sizeof(Word) == 2) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    if constexpr (sizeof(Word) == 4) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    if constexpr (sizeof(Word) == 8) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  }
  FAULTLINE_INLINE Coded permute(const std::uint8_t* first, const std::uint8_t* second,
                                 const std::uint8_t* index, std::uint64_t open) {
    if constexpr (sizeof(Word) == 1)
      return _mm512_maskz_permutex2var_epi8(open, load_bytes(first), _mm512_load_si512(index),
                                            load_bytes(second));
    else if constexpr (sizeof(Word) == 2)
      return _mm256_maskz_permutex2var_epi8(static_cast<__mmask32>(open), load_bytes(first),
                                            _mm256_load_si256(reinterpret_cast<const __m256i*>(index)),
                                            load_bytes(second));
    else
      return _mm_maskz_permutex2var_epi8(static_cast<__mmask16>(open), load_bytes(first),
                                         _mm_load_si128(reinterpret_cast<const __m128i*>(index)),
                                         load_bytes(second));
  }
  FAULTLINE_INLINE Coded no_bytes() { return Coded{}; }
  FAULTLINE_INLINE Coded low_halves(Coded bytes) { return bytes & (Coded{} + low_halves_mask); }
  FAULTLINE_INLINE Coded high_halves(Coded bytes) { return bytes & (Coded{} + ~low_halves_mask); }
  /// Low halves as high ones.
  FAULTLINE_INLINE Coded raised(Coded bytes) { return low_halves(bytes) << 4; }

  // Port by port: of words of one byte, which are not transposed

  FAULTLINE_INLINE Coded gathered(const std::uint8_t* bytes, std::uint64_t open) {
    static_assert(!transposes);
    return _mm512_maskz_mov_epi8(open, load_bytes(bytes));
  }
  /// `value` in the lanes whose byte has a bit in common with `code`.
  FAULTLINE_INLINE Vector add_where(Vector sum, Coded bytes, unsigned code, Vector value) {
    static_assert(!transposes);
    return add(sum, common(bytes, set1(static_cast<Word>(code))), value);
  }
  /// The code in the bytes of the lanes in which a and b have a bit in common.
  FAULTLINE_INLINE Codes mark(Codes codes, Vector a, Vector b, unsigned code) {
    static_assert(!transposes);
    return add(codes, common(a, b), set1(static_cast<Word>(code)));
  }
  FAULTLINE_INLINE void store_codes(std::uint8_t* bytes, Codes codes) {
    if constexpr (sizeof(Word) == 1) _mm512_storeu_si512(bytes, codes);
    if constexpr (sizeof(Word) == 2) _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), codes);
    if constexpr (sizeof(Word) == 4) _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), codes);
    if constexpr (sizeof(Word) == 8) _mm_storel_epi64(reinterpret_cast<__m128i*>(bytes), codes);
  }

  /// Adds 64 bytes of the log, those that are open; `raise`: low halves as high ones.
  FAULTLINE_INLINE void add_line(Vector* registers, const std::uint8_t* bytes, std::uint64_t open,
                                 bool raise) {
    const Vector line = _mm512_maskz_loadu_epi8(open, bytes);
    *registers |= raise ? (line & _mm512_set1_epi64(low_halves_mask)) << 4 : line;
  }
  /// From bytes [port][lane], of as many ports as a word has bits, to a row for each of their bits.
  FAULTLINE_INLINE void to_rows(Vector (&registers)[8]) { BitTranspose<port_bits<Word>>::to_rows(registers); }
  /// The reverse: the first `count` bytes.
  FAULTLINE_INLINE void to_bytes(Vector (&rows)[8], std::uint8_t* bytes, std::uint32_t count) {
    BitTranspose<port_bits<Word>>::to_bytes(rows);
#pragma GCC unroll 8
    for (std::uint32_t i = 0; i < 8; ++i) {
      if (count >= (i + 1) * 64)
        _mm512_storeu_si512(bytes + std::size_t{i} * 64, rows[i]);
      else if (count > i * 64)
        _mm512_mask_storeu_epi8(bytes + std::size_t{i} * 64, (__mmask64{1} << (count - i * 64)) - 1, rows[i]);
    }
  }

 private:
  static constexpr long long low_halves_mask = 0x0f0f0f0f0f0f0f0f;
  template <int Table>
  FAULTLINE_INLINE Vector logic(Vector a, Vector b, Vector c) {
    return _mm512_ternarylogic_epi32(a, b, c, Table);
  }
  FAULTLINE_INLINE Vector sub(Vector a, Vector b) {
    if constexpr (sizeof(Word) == 1) return _mm512_sub_epi8(a, b);
    if constexpr (sizeof(Word) == 2) return _mm512_sub_epi16(a, b);
    if constexpr (sizeof(Word) == 4) return _mm512_sub_epi32(a, b);
    if constexpr (sizeof(Word) == 8) return _mm512_sub_epi64(a, b);
  }
  FAULTLINE_INLINE Vector add(Vector a, Vector b) {
    if constexpr (sizeof(Word) == 1) return _mm512_add_epi8(a, b);
    if constexpr (sizeof(Word) == 2) return _mm512_add_epi16(a, b);
    if constexpr (sizeof(Word) == 4) return _mm512_add_epi32(a, b);
    if constexpr (sizeof(Word) == 8) return _mm512_add_epi64(a, b);
  }
  FAULTLINE_INLINE Vector add(Vector a, Mask mask, Vector b) {
    if constexpr (sizeof(Word) == 1) return _mm512_mask_add_epi8(a, mask, a, b);
    if constexpr (sizeof(Word) == 2) return _mm512_mask_add_epi16(a, mask, a, b);
    if constexpr (sizeof(Word) == 4) return _mm512_mask_add_epi32(a, mask, a, b);
    if constexpr (sizeof(Word) == 8) return _mm512_mask_add_epi64(a, mask, a, b);
  }
  FAULTLINE_INLINE Mask common(Vector a, Vector b) {
    if constexpr (sizeof(Word) == 1) return _mm512_test_epi8_mask(a, b);
    if constexpr (sizeof(Word) == 2) return _mm512_test_epi16_mask(a, b);
    if constexpr (sizeof(Word) == 4) return _mm512_test_epi32_mask(a, b);
    if constexpr (sizeof(Word) == 8) return _mm512_test_epi64_mask(a, b);
  }
#undef FAULTLINE_INLINE
};

}  // namespace faultline::wormhole::planes
