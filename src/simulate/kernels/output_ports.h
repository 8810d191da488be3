// SPDX-License-Identifier: Apache-2.0
// Which output port the packets at the input VCs have a VC of, as the crossbar reads it: as rows by port, or
// as the port's number (Rows::numbers_ports). Rows by port take a step less per port and VC, but on large
// switches they exceed the cache.
#pragma once

#include <type_traits>

#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

template <class Simd, std::uint32_t Vcs>
class OutputPorts {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  using RowsOf = Rows<Word, Vcs>;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t max_ports = sizeof(Word) * 8;
  static constexpr std::uint32_t bits = port_bits<Word>;

 public:
  OutputPorts(const Word* words, const RowsOf& rows, std::uint32_t ports)
      : words_(words), rows_(rows), ports_(ports) {}

  /// Inputs whose VC v has one of that output port.
  [[nodiscard]] Vector inputs_to(std::uint32_t port, std::uint32_t v) const {
    if constexpr (RowsOf::numbers_ports)
      return ~differs_from(row(rows_.port_number(v)), 0, bits, port);
    else
      return load(rows_.to_port(port, v));
  }

  /// By output, the inputs that request it.
  void find_wanted(const Vector (&requests)[Vcs], Vector (&wanted)[max_ports]) const {
    if constexpr (RowsOf::numbers_ports) {
      if (Vcs > 4 && ports_ > 32) {
        Vector inputs[Vcs], numbers[Vcs * bits];
        const std::uint32_t count = combine(requests, inputs, numbers);
        find_wanted(count, inputs, reinterpret_cast<const Word*>(numbers), wanted);
      } else {
        find_wanted(std::integral_constant<std::uint32_t, Vcs>(), requests, row(rows_.port_number(0)),
                    wanted);
      }
    } else {
      for (std::uint32_t port = 0; port < ports_; ++port) {
        wanted[port] = requests[0] & load(rows_.to_port(port, 0));
#pragma GCC unroll 8
        for (std::uint32_t v = 1; v < Vcs; ++v)
          wanted[port] = Simd::or_and(wanted[port], requests[v], load(rows_.to_port(port, v)));
      }
    }
  }

  /// By VC, the inputs that request the output that they accepted. An input accepted one at most. `number`:
  /// by input, of that output, where numbers of ports are kept.
  void find_candidates(const Vector (&requests)[Vcs], const Vector (&accepted)[max_ports], Vector taken,
                       Vector (&candidates)[Vcs], Vector (&number)[bits]) const {
    if constexpr (RowsOf::numbers_ports) {
      number_of(accepted, number);
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        Vector differs = Simd::zero();
#pragma GCC unroll 6
        for (std::uint32_t bit = 0; bit < bits; ++bit)
          differs = Simd::or_xor(differs, number[bit], load(rows_.port_number(v) + bit));
        candidates[v] = Simd::and_and_not(requests[v], taken, differs);
      }
    } else {
      for (std::uint32_t v = 0; v < Vcs; ++v) candidates[v] = Simd::zero();
      for (std::uint32_t port = 0; port < ports_; ++port) {
#pragma GCC unroll 8
        for (std::uint32_t v = 0; v < Vcs; ++v)
          candidates[v] = Simd::or_and(candidates[v], accepted[port], load(rows_.to_port(port, v)));
      }
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v) candidates[v] &= requests[v];
    }
  }

 private:
  // Requests as `count` sets of inputs, with the number of the output of each, bit by bit.

  /// Most inputs have one VC that makes a request: where these are taken together, VCs that are idle cost
  /// nothing. Returns the number of sets; an input with n requests is in n of them.
  std::uint32_t combine(const Vector (&requests)[Vcs], Vector (&inputs)[Vcs],
                        Vector (&numbers)[Vcs * bits]) const {
    Vector rest[Vcs];
    for (std::uint32_t v = 0; v < Vcs; ++v) rest[v] = requests[v];
    for (std::uint32_t count = 0;; ++count) {
      Vector seen = Simd::zero(), again = Simd::zero(), number[bits];
#pragma GCC unroll 6
      for (Vector& bit : number) bit = Simd::zero();
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        const Vector here = Simd::and_not(rest[v], seen);
#pragma GCC unroll 6
        for (std::uint32_t bit = 0; bit < bits; ++bit)
          number[bit] = Simd::or_and(number[bit], here, load(rows_.port_number(v) + bit));
        rest[v] &= seen;
        again |= rest[v];
        seen |= here;
      }
      inputs[count] = seen;
#pragma GCC unroll 6
      for (std::uint32_t bit = 0; bit < bits; ++bit) numbers[count * bits + bit] = number[bit];
      if (!Simd::any(again)) return count + 1;
    }
  }
  template <class Count>
  void find_wanted(Count count, const Vector* inputs, const Word* numbers,
                   Vector (&wanted)[max_ports]) const {
    if constexpr (bits > 4 && Simd::register_count < 32) {
      find_wanted_by_eights(count, inputs, numbers, wanted);
    } else {
      std::uint32_t first = 0;
      if constexpr (Simd::register_count >= 32)
        for (; first + 8 < ports_; first += 16) find_wanted_of<16>(count, inputs, numbers, first, wanted);
      for (; first < ports_; first += 4) find_wanted_of<4>(count, inputs, numbers, first, wanted);
    }
  }
  /// Inputs are divided by the lowest three bits of the number and by those above, once for all ports. With
  /// up to 16 ports, or the registers for 16 of them, the other way is as fast or faster.
  template <class Count>
  void find_wanted_by_eights(Count count, const Vector* inputs, const Word* numbers,
                             Vector (&wanted)[max_ports]) const {
    Vector low[Vcs][8], high[Vcs][max_ports / 8];
    for (std::uint32_t i = 0; i < count; ++i, numbers += bits * lanes) {
      divide<3>(inputs[i], numbers, low[i]);
      divide<bits - 3>(Simd::set1(static_cast<Word>(-1)), numbers + 3 * lanes, high[i]);
    }
    for (std::uint32_t first = 0; first < ports_; first += 8) {
      Vector found[8];
#pragma GCC unroll 8
      for (std::uint32_t port = 0; port < 8; ++port) found[port] = low[0][port] & high[0][first / 8];
      for (std::uint32_t i = 1; i < count; ++i) {
        const Vector here = high[i][first / 8];
#pragma GCC unroll 8
        for (std::uint32_t port = 0; port < 8; ++port)
          found[port] = Simd::or_and(found[port], low[i][port], here);
      }
#pragma GCC unroll 8
      for (std::uint32_t port = 0; port < 8; ++port) wanted[first + port] = found[port];
    }
  }
  /// By `Bits` bits of the number.
  template <std::uint32_t Bits>
  static void divide(Vector among, const Word* number, Vector (&parts)[1U << Bits]) {
    parts[0] = among;
#pragma GCC unroll 3
    for (std::uint32_t bit = 0; bit < Bits; ++bit) {
      const Vector set = Simd::load(number + bit * lanes);
#pragma GCC unroll 4
      for (std::uint32_t part = 0; part < 1U << bit; ++part)
        divide(parts[part], set, parts[part], parts[part + (1U << bit)]);
    }
  }
  /// Of the `Ports` ports from `first` on, a multiple of their number; they are as many as registers hold.
  template <std::uint32_t Ports, class Count>
  void find_wanted_of(Count count, const Vector* inputs, const Word* numbers, std::uint32_t first,
                      Vector (&wanted)[max_ports]) const {
    constexpr std::uint32_t low_bits = std::countr_zero(Ports);
    Vector found[Ports];
#pragma GCC unroll 16
    for (Vector& of_port : found) of_port = Simd::zero();
    for (std::uint32_t i = 0; i < count; ++i, numbers += bits * lanes) {
      const Vector here = Simd::and_not(inputs[i], differs_from(numbers, low_bits, bits, first));
      Vector low[4], high[4];  // by two bits of the number
      divide(~Simd::load(numbers), Simd::load(numbers + lanes), low[0], low[2]);
      divide(Simd::load(numbers), Simd::load(numbers + lanes), low[1], low[3]);
      if constexpr (low_bits > 2) {
        const Vector bit_2 = Simd::load(numbers + 2 * lanes), bit_3 = Simd::load(numbers + 3 * lanes);
        divide(Simd::and_not(here, bit_2), bit_3, high[0], high[2]);
        divide(here & bit_2, bit_3, high[1], high[3]);
      } else {
        high[0] = here;
      }
#pragma GCC unroll 16
      for (std::uint32_t port = 0; port < Ports; ++port)
        found[port] = Simd::or_and(found[port], low[port % 4], high[port / 4]);
    }
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) wanted[first + port] = found[port];
  }
  /// Two operands each: operations with three overwrite one of them, which would have to be copied.
  static void divide(Vector among, Vector bit, Vector& without, Vector& with) {
    without = Simd::and_not(among, bit);
    with = among & bit;
  }
  /// By input, the number of the output that it accepted.
  void number_of(const Vector (&accepted)[max_ports], Vector (&number)[bits]) const {
#pragma GCC unroll 6
    for (Vector& inputs : number) inputs = Simd::zero();
    for (std::uint32_t first = 0; first < ports_; first += 4) {
      Vector four[4];
#pragma GCC unroll 4
      for (std::uint32_t i = 0; i < 4; ++i) four[i] = first + i < ports_ ? accepted[first + i] : Simd::zero();
      number[0] = Simd::or3(number[0], four[1], four[3]);
      number[1] = Simd::or3(number[1], four[2], four[3]);
      const Vector any = Simd::or3(four[0], four[1], four[2]) | four[3];
#pragma GCC unroll 6
      for (std::uint32_t bit = 2; bit < bits; ++bit)
        if ((first >> bit & 1) != 0) number[bit] |= any;
    }
  }
  /// Where bits `from` to `end` of a number are not those of `port`.
  [[nodiscard]] static Vector differs_from(const Word* number, std::uint32_t from, std::uint32_t end,
                                           std::uint32_t port) {
    if (from == end) return Simd::zero();
    const auto of_bit = [&](std::uint32_t bit) {
      return Simd::set1(static_cast<Word>(-static_cast<int>(port >> bit & 1)));
    };
    Vector differs = Simd::load(number + from * lanes) ^ of_bit(from);
#pragma GCC unroll 6
    for (std::uint32_t bit = from + 1; bit < end; ++bit)
      differs = Simd::or_xor(differs, Simd::load(number + bit * lanes), of_bit(bit));
    return differs;
  }
  [[nodiscard]] const Word* row(std::uint32_t number) const { return words_ + std::size_t{number} * lanes; }
  [[nodiscard]] Vector load(std::uint32_t number) const { return Simd::load(row(number)); }

  const Word* words_;
  const RowsOf rows_;
  std::uint32_t ports_;
};

}  // namespace faultline::wormhole::planes
