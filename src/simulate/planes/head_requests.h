// SPDX-License-Identifier: Apache-2.0
// What the allocation of VCs by vectors (kernels/vc_matching.h) reads: what heads may take, and the grant
// pointers of output VCs. Kept for groups of switches whose VCs are allocated so.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulate/kernels/request_rows.h"
#include "simulate/planes/state.h"
#include "simulate/switches/prefetch.h"

namespace faultline::wormhole::planes {

/// The rows of one group of switches. The number of lanes' bits has a type of its own, because it is a
/// constant where time matters.
template <class Word, std::uint32_t Vcs, class LaneBits>
class GroupRequests {
 public:
  GroupRequests(Word* words, std::uint64_t* draw_keys, std::uint32_t ports, bool alike, LaneBits lane_bits)
      : words_(words), draw_keys_(draw_keys), ports_(ports), alike_(alike), lane_bits_(lane_bits) {}

  void clear() const { std::fill_n(words_, std::size_t{rows().count()} << lane_bits_, Word{0}); }
  /// A head whose route was one of Routes. `draw_key`: Chooser::draw_key() of its packet.
  [[gnu::always_inline]] void put(std::uint32_t lane, std::uint32_t input, const Head<Word, Vcs>& head,
                                  std::uint64_t draw_key) const {
    key_of(lane, input) = draw_key;
    if (alike_) {
      of(lane)[rows().candidates(input, 0)] = head.ports;
      return;
    }
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) of(lane)[rows().candidates(input, w)] = head.candidates[w];
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t draw_key(std::uint32_t lane, std::uint32_t input) const {
    return key_of(lane, input);
  }
  void prefetch_draw_key(std::uint32_t lane, std::uint32_t input) const { prefetch(&key_of(lane, input)); }

  /// The grant pointer of an output VC, given as the input that it points to.
  void put_pointer(std::uint32_t lane, std::uint32_t port, std::uint32_t w, std::uint32_t next_input) const {
    of(lane).set(rows().given_last(before(next_input), w), port);
  }
  /// It was at `next_input`, and moves past `input`.
  [[gnu::always_inline]] void move_pointer(std::uint32_t lane, std::uint32_t port, std::uint32_t w,
                                           std::uint32_t next_input, std::uint32_t input) const {
    of(lane).clear(rows().given_last(before(next_input), w), port);
    of(lane).set(rows().given_last(input, w), port);
  }

 private:
  [[nodiscard, gnu::always_inline]] std::uint64_t& key_of(std::uint32_t lane, std::uint32_t input) const {
    return draw_keys_[(std::size_t{input} << lane_bits_) + lane];
  }
  [[nodiscard, gnu::always_inline]] Lane<Word> of(std::uint32_t lane) const {
    return {words_ + lane, lane_bits_};
  }
  [[nodiscard, gnu::always_inline]] RequestRows<Vcs> rows() const { return {ports_, alike_}; }
  [[nodiscard]] std::uint32_t before(std::uint32_t next_input) const {
    return (next_input != 0 ? next_input : ports_ * Vcs) - 1;
  }

  Word* words_;
  std::uint64_t* draw_keys_;
  std::uint32_t ports_;
  bool alike_;
  [[no_unique_address]] LaneBits lane_bits_;
};

template <class Word, std::uint32_t Vcs>
class HeadRequests {
 public:
  /// `draw_keys`: [group][input][lane].
  HeadRequests(const VectorState<Word>& vectors, std::uint64_t* draw_keys)
      : words_(vectors.request_rows), draw_keys_(draw_keys), ports_(vectors.ports), alike_(vectors.alike) {}

  template <class LaneBits>
  [[nodiscard, gnu::always_inline]] GroupRequests<Word, Vcs, LaneBits> of(std::uint32_t group,
                                                                          LaneBits lane_bits) const {
    const std::size_t rows = RequestRows<Vcs>(ports_, alike_).count(), inputs = std::size_t{ports_} * Vcs;
    return {words_ + (group * rows << lane_bits), draw_keys_ + (group * inputs << lane_bits), ports_, alike_,
            lane_bits};
  }

 private:
  Word* words_;
  std::uint64_t* draw_keys_;
  std::uint32_t ports_;
  bool alike_;
};

}  // namespace faultline::wormhole::planes
