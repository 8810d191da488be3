// SPDX-License-Identifier: Apache-2.0
// What the allocation of VCs by vectors (kernels/vc_matching.h) reads: what heads may take, and the grant
// pointers of output VCs. Kept for groups of switches whose VCs are allocated so.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulate/kernels/request_rows.h"
#include "simulate/planes/state.h"

namespace faultline::wormhole::planes {

/// The number of lanes' bits is a parameter, because it is a constant where time matters.
template <class Word, std::uint32_t Vcs>
class HeadRequests {
 public:
  /// `draw_keys`: [group][input][lane].
  HeadRequests(const VectorState<Word>& vectors, std::uint64_t* draw_keys, std::uint32_t vc_count)
      : words_(vectors.request_rows),
        draw_keys_(draw_keys),
        ports_(vectors.ports),
        all_vcs_((1U << vc_count) - 1),
        alike_(vectors.alike),
        rows_(vectors.ports, vectors.alike) {}

  void clear(std::uint32_t group, std::uint32_t lane_bits) {
    std::fill_n(lane(group << lane_bits, lane_bits).first, std::size_t{rows_.count()} << lane_bits, Word{0});
  }
  /// `draw_key`: Chooser::draw_key() of its packet.
  [[gnu::always_inline]] void put(std::uint32_t at, std::uint32_t input, const Head<Word, Vcs>& head,
                                  std::uint64_t draw_key, std::uint32_t lane_bits) {
    const Lane<Word> here = lane(at, lane_bits);
    draw_keys_[key_index(at, input, lane_bits)] = draw_key;
    if (alike_) {
      here[rows_.candidates(input, 0)] = head.ports;
      return;
    }
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w)
      here[rows_.candidates(input, w)] = (all_vcs_ >> w & 1) != 0 ? head.candidates_of(w) : Word{0};
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t draw_key(std::uint32_t at, std::uint32_t input,
                                                           std::uint32_t lane_bits) const {
    return draw_keys_[key_index(at, input, lane_bits)];
  }

  /// The grant pointer of an output VC, given as the input that it points to.
  [[gnu::always_inline]] void put_pointer(std::uint32_t at, std::uint32_t port, std::uint32_t w,
                                          std::uint32_t next_input, std::uint32_t lane_bits) {
    lane(at, lane_bits).set(rows_.given_last(before(next_input), w), port);
  }
  /// It was at `next_input`, and moves past `input`.
  [[gnu::always_inline]] void move_pointer(std::uint32_t at, std::uint32_t port, std::uint32_t w,
                                           std::uint32_t next_input, std::uint32_t input,
                                           std::uint32_t lane_bits) {
    const Lane<Word> here = lane(at, lane_bits);
    here.clear(rows_.given_last(before(next_input), w), port);
    here.set(rows_.given_last(input, w), port);
  }

 private:
  [[nodiscard, gnu::always_inline]] Lane<Word> lane(std::uint32_t at, std::uint32_t lane_bits) const {
    const std::size_t group = at >> lane_bits;
    return {words_ + (group * rows_.count() << lane_bits) + lane_of(at, lane_bits), lane_bits};
  }
  [[nodiscard, gnu::always_inline]] std::size_t key_index(std::uint32_t at, std::uint32_t input,
                                                          std::uint32_t lane_bits) const {
    const std::size_t group = at >> lane_bits;
    return ((group * ports_ * Vcs + input) << lane_bits) + lane_of(at, lane_bits);
  }
  [[nodiscard]] static std::uint32_t lane_of(std::uint32_t at, std::uint32_t lane_bits) {
    return at & ((1U << lane_bits) - 1);
  }
  [[nodiscard]] std::uint32_t before(std::uint32_t next_input) const {
    return (next_input != 0 ? next_input : ports_ * Vcs) - 1;
  }

  Word* words_;
  std::uint64_t* draw_keys_;
  std::uint32_t ports_, all_vcs_;
  bool alike_;
  RequestRows<Vcs> rows_;
};

}  // namespace faultline::wormhole::planes
