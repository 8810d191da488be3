// SPDX-License-Identifier: Apache-2.0
// Converts between rows of virtual channels and their codes in the log (vector_state.h), bit by bit.
#pragma once

#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

template <class Simd, std::uint32_t Vcs>
struct VcCodes {
  using Vector = typename Simd::Vector;

  /// Where the code, bit by bit, is that of VC v.
  static Vector with_code(const Vector (&codes)[code_bits], std::uint32_t v) {
    const std::uint32_t code = code_of(Vcs, v);
    Vector row = (code & 1) != 0 ? codes[0] : ~codes[0];
#pragma GCC unroll 4
    for (std::uint32_t c = 1; c < code_bits; ++c)
      row = (code >> c & 1) != 0 ? row & codes[c] : Simd::and_not(row, codes[c]);
    return row;
  }

  /// From codes of VCs, bit by bit, to a row a VC.
  static void decode(const Vector (&codes)[code_bits], Vector (&rows)[Vcs]) {
    if constexpr (Vcs <= 4) {
      static_assert(Vcs == code_bits);
      for (std::uint32_t v = 0; v < Vcs; ++v) rows[v] = codes[v];
    } else {
#pragma GCC unroll 16
      for (std::uint32_t v = 0; v < Vcs; ++v) rows[v] = with_code(codes, v);
    }
  }

  static void encode(const Vector (&rows)[Vcs], Vector (&codes)[code_bits]) {
    if constexpr (Vcs <= 4) {
      for (std::uint32_t v = 0; v < Vcs; ++v) codes[v] = rows[v];
    } else {
      for (std::uint32_t c = 0; c < code_bits; ++c) codes[c] = Simd::zero();
#pragma GCC unroll 16
      for (std::uint32_t v = 0; v < Vcs; ++v)
#pragma GCC unroll 4
        for (std::uint32_t c = 0; c < code_bits; ++c)
          if (((v + 1) >> c & 1) != 0) codes[c] |= rows[v];
    }
  }
};

}  // namespace faultline::wormhole::planes
