// SPDX-License-Identifier: Apache-2.0
// The allocation of VCs by vectors: heads choose an output, and each free VC of it one of the heads, in all
// switches of a group at once. Included by each kernel.
#pragma once

#include "simulate/kernels/planes_kernel.h"
#include "simulate/kernels/request_rows.h"

namespace faultline::wormhole::planes {

template <class Simd, std::uint32_t Vcs, bool Alike>
class VcMatching {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t sets = Alike ? 1 : Vcs;  ///< of candidates, for each input
  static constexpr std::uint32_t planes = few_planes, sum_planes = planes + more_planes<Vcs>;

 public:
  [[gnu::flatten]] static std::uint32_t choose(const VectorState<Word>& vectors, std::uint32_t group,
                                               VcRequests<Word>& requests) {
    return VcMatching(vectors, group, requests).choose();
  }
  [[gnu::flatten]] static std::uint32_t match(const VectorState<Word>& vectors, std::uint32_t group,
                                              VcRequests<Word>& requests) {
    return VcMatching(vectors, group, requests).match();
  }

 private:
  VcMatching(const VectorState<Word>& vectors, std::uint32_t group, VcRequests<Word>& requests)
      : vectors_(vectors),
        ports_(vectors.ports),
        rows_(planes, ports_),
        words_(vectors.rows + std::size_t{group} * rows_.count() * lanes),
        candidates_(vectors.request_rows +
                    std::size_t{group} * RequestRows<Vcs>(ports_, Alike).count() * lanes),
        given_last_(candidates_ + std::size_t{RequestRows<Vcs>(ports_, Alike).given_last(0, 0)} * lanes),
        requests_(requests) {
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) free_[w] = load(rows_.free(w));
  }

  // Heads

  std::uint32_t choose() {
    if (!Alike && requests_.by_credits) add_credits();
    const Vector any_free = load(rows_.any_free());
    const Word* asking = words_ + std::size_t{rows_.asking(0)} * lanes;
    const Word* candidates = candidates_;
    Word* requested = requests_.requested;
    std::uint32_t count = 0, asks = 0;
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const Vector bit = Simd::set1(static_cast<Word>(Word{1} << port));
      for (std::uint32_t v = 0; v < Vcs; ++v, candidates += sets * lanes, requested += lanes) {
        Vector best = Simd::load(candidates) & (Alike ? any_free : free_[0]);
#pragma GCC unroll 8
        for (std::uint32_t w = 1; w < sets; ++w)
          best = Simd::or_and(best, Simd::load(candidates + w * lanes), free_[w]);
        best &= Simd::spread(Simd::load(asking + v * lanes), bit);
        asks += static_cast<std::uint32_t>(__builtin_popcountll(Simd::lanes_of(best)));
        if (Simd::any(several(best))) {
          if (requests_.by_credits) best = Alike ? most_of_all(best) : most_credits(best, candidates);
          if (const Vector tied = several(best); Simd::any(tied)) count = list(tied, port, v, count);
        }
        Simd::store(requested, best);
      }
    }
    requests_.asks = asks;
    return count;
  }
  /// Not zero where there are several bits.
  [[nodiscard]] static Vector several(Vector bits) { return Simd::and_not(bits, Simd::lowest_bit(bits)); }
  std::uint32_t list(Vector which, std::uint32_t port, std::uint32_t v, std::uint32_t count) const {
    for (std::uint64_t set = Simd::lanes_of(which); set != 0; set &= set - 1)
      requests_.events[count++] = event(static_cast<std::uint32_t>(__builtin_ctzll(set)), port, v);
    return count;
  }
  [[nodiscard]] static Event event(std::uint32_t lane, std::uint32_t port, std::uint32_t v) {
    return {static_cast<std::uint16_t>(lane), static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(v)};
  }

  /// Credits of one VC of all outputs, or of several together, before the grants of this cycle.
  struct Credits {
    std::uint32_t vc;
    Vector count[sum_planes];
  };
  void add_credits() {
    std::uint32_t rest = (1U << Vcs) - 1;
    if (requests_.summed) {
      Credits& sum = credits_[credit_counts_++];
      sum.vc = static_cast<std::uint32_t>(__builtin_ctz(vectors_.summed_vcs));
#pragma GCC unroll 8
      for (std::uint32_t plane = 0; plane < sum_planes; ++plane)
        sum.count[plane] = load(rows_.credit_sum() + plane);
      rest &= ~vectors_.summed_vcs;
    }
    for (; rest != 0; rest &= rest - 1) {
      Credits& one = credits_[credit_counts_++];
      one.vc = static_cast<std::uint32_t>(__builtin_ctz(rest));
      Vector carry = load(rows_.granted(one.vc));
#pragma GCC unroll 8
      for (std::uint32_t plane = 0; plane < planes; ++plane) {
        const Vector before = load(rows_.credits(one.vc) + plane);
        one.count[plane] = before ^ carry;
        carry &= before;
      }
      one.count[planes] = carry;
#pragma GCC unroll 8
      for (std::uint32_t plane = planes + 1; plane < sum_planes; ++plane) one.count[plane] = Simd::zero();
    }
  }
  /// Those of `any` with most credits of the VCs that the head may take there.
  Vector most_credits(Vector any, const Word* candidates) const {
    Vector sum[sum_planes];
    const Vector first = Simd::load(candidates + credits_[0].vc * lanes);
#pragma GCC unroll 8
    for (std::uint32_t plane = 0; plane < sum_planes; ++plane) sum[plane] = credits_[0].count[plane] & first;
    for (std::uint32_t i = 1; i < credit_counts_; ++i) {
      const Vector ports = Simd::load(candidates + credits_[i].vc * lanes);
      Vector carry = Simd::zero();
#pragma GCC unroll 8
      for (std::uint32_t plane = 0; plane <= planes; ++plane) {
        const Vector more = credits_[i].count[plane] & ports;
        const Vector next = Simd::majority(sum[plane], more, carry);
        sum[plane] = Simd::xor3(sum[plane], more, carry);
        carry = next;
      }
#pragma GCC unroll 8
      for (std::uint32_t plane = planes + 1; plane < sum_planes; ++plane) {
        const Vector next = sum[plane] & carry;
        sum[plane] ^= carry;
        carry = next;
      }
    }
#pragma GCC unroll 8
    for (std::uint32_t plane = sum_planes; plane > 0; --plane)
      any = Simd::nonzero_or(any & sum[plane - 1], any);
    return any;
  }
  Vector most_of_all(Vector any) const {
#pragma GCC unroll 8
    for (std::uint32_t plane = sum_planes; plane > 0; --plane)
      any = Simd::nonzero_or(any & load(rows_.credit_sum() + plane - 1), any);
    return any;
  }

  // VCs

  /// Each free VC chooses the first head from its pointer that requests it. Heads that were chosen wait no
  /// more.
  std::uint32_t match() {
    Vector from[Vcs], preferred[Vcs], seen[Vcs];  // outputs: whose pointer is not past the input, …
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) from[w] = preferred[w] = Simd::zero();
    const std::size_t inputs = std::size_t{ports_} * Vcs;
    const Word* const end = requests_.requested + inputs * lanes;
    const Word *candidates = candidates_, *given_last = given_last_;
    for (const Word* of = requests_.requested; of != end; of += lanes) {
      if (const Vector requested = Simd::load(of); Simd::any(requested))
#pragma GCC unroll 8
        for (std::uint32_t w = 0; w < Vcs; ++w)
          preferred[w] = Simd::or_and(preferred[w], narrowed(requested, candidates, w), from[w]);
#pragma GCC unroll 8
      for (std::uint32_t w = 0; w < Vcs; ++w) from[w] |= Simd::load(given_last + w * lanes);
      candidates += sets * lanes;
      given_last += Vcs * lanes;
    }
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      from[w] = ~(preferred[w] & free_[w]);
      seen[w] = Simd::zero();
    }
    std::uint32_t count = 0;
    candidates = candidates_;
    given_last = given_last_;
    const Word* of = requests_.requested;
    for (std::uint32_t port = 0; port < ports_; ++port)
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        if (const Vector requested = Simd::load(of); Simd::any(requested)) {
          Vector any = Simd::zero();
          std::uint64_t won[Vcs];  // lanes
#pragma GCC unroll 8
          for (std::uint32_t w = 0; w < Vcs; ++w) {
            const Vector eligible = Simd::and3(narrowed(requested, candidates, w), free_[w], from[w]);
            const Vector chosen = Simd::and_not(eligible, seen[w]);
            seen[w] |= eligible;
            any |= chosen;
            won[w] = Simd::lanes_of(chosen);
          }
          if (Simd::any(any)) {
            count = list_winners(won, port, v, count);
            const Vector wins = Simd::spread(any, any) & Simd::set1(static_cast<Word>(Word{1} << port));
            leave(rows_.waiting(v), wins);
            leave(rows_.asking(v), wins);
          }
        }
#pragma GCC unroll 8
        for (std::uint32_t w = 0; w < Vcs; ++w) from[w] |= Simd::load(given_last + w * lanes);
        of += lanes;
        candidates += sets * lanes;
        given_last += Vcs * lanes;
      }
    return count;
  }
  std::uint32_t list_winners(const std::uint64_t (&won)[Vcs], std::uint32_t port, std::uint32_t v,
                             std::uint32_t count) const {
    std::uint64_t set = won[0];
#pragma GCC unroll 8
    for (std::uint32_t w = 1; w < Vcs; ++w) set |= won[w];
    for (; set != 0; set &= set - 1, ++count) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctzll(set));
      std::uint32_t vcs = 0;
#pragma GCC unroll 8
      for (std::uint32_t w = 0; w < Vcs; ++w) vcs |= static_cast<std::uint32_t>(won[w] >> lane & 1) << w;
      requests_.events[count] = event(lane, port, v);
      requests_.won[count] = static_cast<std::uint8_t>(vcs);
    }
    return count;
  }
  void leave(std::uint32_t row, Vector bits) const {
    Simd::store(words_ + std::size_t{row} * lanes, Simd::and_not(load(row), bits));
  }
  [[nodiscard]] static Vector narrowed(Vector requested, const Word* candidates, std::uint32_t w) {
    return Alike ? requested : requested & Simd::load(candidates + w * lanes);
  }

  [[nodiscard]] Vector load(std::uint32_t row) const { return Simd::load(words_ + std::size_t{row} * lanes); }

  const VectorState<Word>& vectors_;
  std::uint32_t ports_;
  const Rows<Word, Vcs> rows_;
  Word* words_;
  const Word *candidates_, *given_last_;
  VcRequests<Word>& requests_;
  Vector free_[Vcs];
  Credits credits_[Vcs];
  std::uint32_t credit_counts_ = 0;
};

template <class Simd, std::uint32_t Vcs, bool Alike>
VcSteps<typename Simd::Word> vc_steps() {
  return {&VcMatching<Simd, Vcs, Alike>::choose, &VcMatching<Simd, Vcs, Alike>::match};
}

}  // namespace faultline::wormhole::planes
