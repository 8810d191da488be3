// SPDX-License-Identifier: Apache-2.0
// Turns bits in rows into a list, for the scalar part.
#pragma once

#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

template <class Simd, std::uint32_t Vcs>
class Listing {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t max_ports = sizeof(Word) * 8;

 public:
  Listing(Event* events, std::uint32_t& count) : events_(events), count_(count) {}

  /// Appends the input VCs whose bits are set in the rows from `first` on, one row per VC; `any`: in one of
  /// them.
  void append(const Word* first, Vector any) {
    if constexpr (max_ports * Vcs <= 64)
      append_by_lane(first, any);
    else
      for (std::uint32_t v = 0; v < Vcs; ++v) append_by_vc(first + std::size_t{v} * lanes, v);
  }

 private:
  /// Combines the words of a lane: a branch per lane and not per VC, because branches are hard to predict.
  void append_by_lane(const Word* first, Vector any) {
    for (std::uint64_t set = Simd::lanes_of(any); set != 0; set &= set - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctzll(set));
      std::uint64_t bits = 0;
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v) bits |= std::uint64_t{first[v * lanes + lane]} << v * max_ports;
      for (; bits != 0; bits &= bits - 1) {
        const auto position = static_cast<std::uint32_t>(__builtin_ctzll(bits));
        add(lane, position % max_ports, position / max_ports);
      }
    }
  }
  void append_by_vc(const Word* words, std::uint32_t v) {
    for (std::uint64_t set = Simd::lanes_of(Simd::load(words)); set != 0; set &= set - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctzll(set));
      for (Word bits = words[lane]; bits != 0; bits &= static_cast<Word>(bits - 1))
        add(lane, static_cast<std::uint32_t>(__builtin_ctzll(bits)), v);
    }
  }
  void add(std::uint32_t lane, std::uint32_t port, std::uint32_t v) {
    events_[count_++] = {static_cast<std::uint16_t>(lane), static_cast<std::uint8_t>(port),
                         static_cast<std::uint8_t>(v)};
  }

  Event* events_;
  std::uint32_t& count_;
};

}  // namespace faultline::wormhole::planes
