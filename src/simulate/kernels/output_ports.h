// SPDX-License-Identifier: Apache-2.0
// Which output port the packets at the input VCs have a VC of, as the crossbar reads it: as rows by port, or
// as the port's number (Rows::numbers_ports). Rows by port take a step less per port and VC, but on large
// switches they exceed the cache.
#pragma once

#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

template <class Simd, std::uint32_t Vcs>
class OutputPorts {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  using RowsOf = Rows<Word, Vcs>;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t most_ports = sizeof(Word) * 8;
  static constexpr std::uint32_t bits = port_bits<Word>;

 public:
  OutputPorts(const Word* words, const RowsOf& rows, std::uint32_t ports)
      : words_(words), rows_(rows), ports_(ports) {}

  /// Inputs whose VC v has one of that output port.
  [[nodiscard]] Vector inputs_to(std::uint32_t port, std::uint32_t v) const {
    if constexpr (RowsOf::numbers_ports)
      return ~differs_from(v, 0, bits, port);
    else
      return load(rows_.to_port(port, v));
  }

  /// By output, the inputs that request it.
  void find_wanted(const Vector (&requests)[Vcs], Vector (&wanted)[most_ports]) const {
    if constexpr (RowsOf::numbers_ports) {
      find_wanted_by_number(requests, wanted);
    } else {
      for (std::uint32_t port = 0; port < ports_; ++port) {
        wanted[port] = requests[0] & load(rows_.to_port(port, 0));
#pragma GCC unroll 8
        for (std::uint32_t v = 1; v < Vcs; ++v)
          wanted[port] = Simd::or_and(wanted[port], requests[v], load(rows_.to_port(port, v)));
      }
    }
  }

  /// By VC, the inputs that request the output that they accepted. An input accepted one at most.
  void find_candidates(const Vector (&requests)[Vcs], const Vector (&accepted)[most_ports], Vector taken,
                       Vector (&candidates)[Vcs]) const {
    if constexpr (RowsOf::numbers_ports) {
      Vector number[bits];  // by input, of the output that it accepted
#pragma GCC unroll 6
      for (std::uint32_t bit = 0; bit < bits; ++bit) {
        number[bit] = Simd::zero();
        for (std::uint32_t port = 1U << bit; port < ports_; port = (port + 1) | 1U << bit)
          number[bit] |= accepted[port];
      }
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
  /// The number is compared in two parts, so that one step per port and VC is left.
  void find_wanted_by_number(const Vector (&requests)[Vcs], Vector (&wanted)[most_ports]) const {
    Vector low[Vcs][4];
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      const Vector bit_0 = load(rows_.port_number(v)), bit_1 = load(rows_.port_number(v) + 1);
      low[v][0] = Simd::and_not_not(requests[v], bit_0, bit_1);
      low[v][1] = Simd::and_and_not(requests[v], bit_0, bit_1);
      low[v][2] = Simd::and_and_not(requests[v], bit_1, bit_0);
      low[v][3] = Simd::and3(requests[v], bit_0, bit_1);
    }
    for (std::uint32_t first = 0; first < ports_; first += 4) {
      Vector differs[Vcs];
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v) differs[v] = differs_from(v, 2, bits, first);
      const std::uint32_t end = ports_ - first < 4 ? ports_ - first : 4;
      for (std::uint32_t i = 0; i < end; ++i) {
        Vector inputs = Simd::and_not(low[0][i], differs[0]);
#pragma GCC unroll 8
        for (std::uint32_t v = 1; v < Vcs; ++v) inputs = Simd::or_and_not(inputs, low[v][i], differs[v]);
        wanted[first + i] = inputs;
      }
    }
  }
  /// Where bits `from` to `end` of the number are not those of `port`.
  [[nodiscard]] Vector differs_from(std::uint32_t v, std::uint32_t from, std::uint32_t end,
                                    std::uint32_t port) const {
    Vector differs = Simd::zero();
#pragma GCC unroll 6
    for (std::uint32_t bit = from; bit < end; ++bit)
      differs = Simd::or_xor(differs, load(rows_.port_number(v) + bit),
                             Simd::set1(static_cast<Word>(-static_cast<int>(port >> bit & 1))));
    return differs;
  }
  [[nodiscard]] Vector load(std::uint32_t number) const {
    return Simd::load(words_ + std::size_t{number} * lanes);
  }

  const Word* words_;
  const RowsOf rows_;
  std::uint32_t ports_;
};

}  // namespace faultline::wormhole::planes
