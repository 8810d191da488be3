// SPDX-License-Identifier: Apache-2.0
// Between a byte for each port and lane, as the log has them, and rows: row c holds bit c of all of them.
// Eight registers hold all bytes, so that a step handles 64 of them; port by port, each bit of each port
// would take two steps.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstdint>
#include <utility>

namespace faultline::wormhole::planes {

/// Of switches with up to 2^`PortBits` ports, 8 to 64.
template <unsigned PortBits>
class BitTranspose {
 public:
  using Registers = __m512i[8];

  /// From bytes [port][lane] to a row for each of their bits, [lane][port].
  [[gnu::always_inline]] static void to_rows(Registers& registers) {
    move<by_port, ports_in_eights, true>(registers);
    transpose_eights(registers);
    move<bits_in_eights, by_row, false>(registers);
  }
  [[gnu::always_inline]] static void to_bytes(Registers& registers) {
    move<by_row, bits_in_eights, true>(registers);
    transpose_eights(registers);
    move<ports_in_eights, by_port, false>(registers);
  }

 private:
  /// The address of a byte has nine bits: where it is in its register (six), and in which one (three). They
  /// are those of its port, its lane or its row.
  using Order = std::array<int, 9>;
  static constexpr int port(unsigned bit) { return static_cast<int>(bit); }
  static constexpr int lane(unsigned bit) { return static_cast<int>(10 + bit); }
  static constexpr int row(unsigned bit) { return static_cast<int>(20 + bit); }

  static constexpr Order by_port = [] {
    Order order{};
    for (unsigned bit = 0; bit < 9; ++bit)
      order[bit] = bit < 9 - PortBits ? lane(bit) : port(bit - (9 - PortBits));
    return order;
  }();
  /// Eight neighbouring bytes are those of eight ports.
  static constexpr Order ports_in_eights = [] {
    Order order{port(0), port(1), port(2), lane(0), lane(1), lane(2)};
    for (unsigned bit = 6, next_lane = 3; bit < 9; ++bit)
      order[bit] = by_port[bit] < port(3) ? lane(next_lane++) : by_port[bit];
    return order;
  }();
  /// The same after each eight have been transposed: their bytes are those of eight rows.
  static constexpr Order bits_in_eights = [] {
    Order order = ports_in_eights;
    for (unsigned bit = 0; bit < 3; ++bit) order[bit] = row(bit);
    return order;
  }();
  static constexpr Order by_row = [] {
    Order order{};
    for (unsigned bit = 0; bit < 6; ++bit)
      order[bit] = bit < PortBits - 3 ? port(bit + 3) : lane(bit - (PortBits - 3));
    for (unsigned bit = 0; bit < 3; ++bit) order[6 + bit] = row(bit);
    return order;
  }();

  /// A step from one order to another: of the bits that number the registers, it replaces one at most.
  struct Step {
    unsigned exchanged = 0;
    bool within = false;                                 ///< it replaces none
    alignas(64) std::array<std::uint8_t, 64> from[2]{};  ///< where the bytes of either register come from
  };
  static constexpr unsigned position_of(const Order& order, int bit) {
    unsigned position = 0;
    while (order[position] != bit) ++position;
    return position;
  }
  /// `reversed`: each eight bytes are in reverse order afterwards.
  static constexpr Step step(const Order& before, const Order& after, unsigned exchanged, bool reversed) {
    Step step{.exchanged = exchanged, .within = before[6 + exchanged] == after[6 + exchanged]};
    for (unsigned i = 0; i < 128; ++i) {
      const unsigned to = reversed ? i ^ 7U : i;
      unsigned from = 0;
      for (unsigned bit = 0; bit < 7; ++bit) {
        if ((to >> bit & 1) == 0) continue;
        const unsigned position = position_of(before, after[bit < 6 ? bit : 6 + exchanged]);
        from |= 1U << (position < 6 ? position : 6);
      }
      step.from[i / 64][i % 64] = static_cast<std::uint8_t>(from);
    }
    return step;
  }
  struct Path {
    std::array<Step, 3> steps{};
    unsigned count = 0;
  };
  static constexpr Path path(Order from, const Order& to, bool reversed) {
    Path path;
    unsigned missing = 0;
    for (unsigned bit = 6; bit < 9; ++bit) missing += from[bit] != to[bit] ? 1U : 0U;
    if (missing == 0) path.steps[path.count++] = step(from, to, 0, reversed);
    for (unsigned bit = 6; bit < 9; ++bit) {
      if (from[bit] == to[bit]) continue;
      Order next = from;
      std::swap(next[bit], next[position_of(from, to[bit])]);
      const bool last = --missing == 0;
      path.steps[path.count++] = step(from, last ? to : next, bit - 6, last && reversed);
      from = next;
    }
    return path;
  }

  template <const Order& From, const Order& To, bool Reversed>
  struct PathOf {
    static constexpr Path value = path(From, To, Reversed);
  };
  template <const Order& From, const Order& To, bool Reversed>
  [[gnu::always_inline]] static void move(Registers& registers) {
    constexpr const Path& steps = PathOf<From, To, Reversed>::value;
#pragma GCC unroll 3
    for (unsigned i = 0; i < steps.count; ++i) apply(steps.steps[i], registers);
  }
  [[gnu::always_inline]] static void apply(const Step& step, Registers& registers) {
    const __m512i from_0 = _mm512_load_si512(step.from[0].data()),
                  from_1 = _mm512_load_si512(step.from[1].data());
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) {
      if (step.within) {
        registers[i] = _mm512_maskz_permutexvar_epi8(~__mmask64{0}, from_0,
                                                     registers[i]);  // without the mask g++ 12 warns
      } else if ((i >> step.exchanged & 1) == 0) {
        const unsigned other = i | 1U << step.exchanged;
        const __m512i a = registers[i], b = registers[other];
        registers[i] = _mm512_permutex2var_epi8(a, from_0, b);
        registers[other] = _mm512_permutex2var_epi8(a, from_1, b);
      }
    }
  }
  /// Of each eight bytes, in reverse order, bit c becomes byte c.
  [[gnu::always_inline]] static void transpose_eights(Registers& registers) {
    const __m512i bit_of_byte = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201));
#pragma GCC unroll 8
    for (__m512i& eights : registers) eights = _mm512_gf2p8affine_epi64_epi8(bit_of_byte, eights, 0);
  }
};

}  // namespace faultline::wormhole::planes
