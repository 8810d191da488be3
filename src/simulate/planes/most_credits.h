// SPDX-License-Identifier: Apache-2.0
// Compares the outputs that a head may request by the credits of the VCs that it may take there. Counts of
// all ports are added at a time, bit by bit.
#pragma once

#include "simulate/kernels/planes_kernel.h"
#include "simulate/planes/state.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class MostCredits {
 public:
  MostCredits(const Rows<Word, Vcs>& rows, std::uint32_t planes, std::uint32_t vcs, std::uint32_t summed_vcs)
      : rows_(rows), planes_(planes), all_vcs_((1U << vcs) - 1), summed_vcs_(summed_vcs) {}

  /// Those of `any` with most credits; flits that were granted in this cycle still count as credits.
  [[nodiscard]] Word of(const Lane<Word> here, const Head<Word, Vcs>& head, Word any) const {
    if (head.alike && summed_vcs_ == all_vcs_) return of_all_vcs(here, any);
    if (planes_ == few_planes)
      return of_candidates(here, head, any, std::integral_constant<std::uint32_t, few_planes>());
    return of_candidates(here, head, any, planes_);
  }

 private:
  [[nodiscard]] Word of_all_vcs(const Lane<Word> here, Word any) const {
    for (std::uint32_t plane = rows_.credit_sum_planes(); plane-- != 0;) {
      const auto more = static_cast<Word>(any & here[rows_.credit_sum() + plane]);
      any = more != 0 ? more : any;
    }
    return any;
  }

  /// The sum that is kept, where it serves, and the other VCs one by one.
  template <class Planes>
  [[nodiscard]] Word of_candidates(const Lane<Word> here, const Head<Word, Vcs>& head, Word any,
                                   Planes planes) const {
    const std::uint32_t sum_planes = planes + more_planes<Vcs>;
    Word sum[max_planes + more_planes<Vcs>]{};
    std::uint32_t rest = all_vcs_;
    if (head.alike || head.summed) {
      const auto ports = static_cast<Word>(head.candidates_of(lowest(summed_vcs_)) & any);
      for (std::uint32_t plane = 0; plane < sum_planes; ++plane)
        sum[plane] = static_cast<Word>(here[rows_.credit_sum() + plane] & ports);
      rest &= ~summed_vcs_;
    }
    while (rest != 0) {
      const std::uint32_t w = take_lowest(rest);
      const auto ports = static_cast<Word>(head.candidates_of(w) & any);
      if (ports == 0) continue;
      auto carry = static_cast<Word>(here[rows_.granted(w)] & ports);
      std::uint32_t plane = 0;
      for (; plane < planes; ++plane) {
        const auto credits = static_cast<Word>(here[rows_.credits(w) + plane] & ports);
        const auto half = static_cast<Word>(sum[plane] ^ credits);
        const auto next = static_cast<Word>((sum[plane] & credits) | (carry & half));
        sum[plane] = static_cast<Word>(half ^ carry);
        carry = next;
      }
      for (; plane < sum_planes; ++plane) {
        const auto next = static_cast<Word>(sum[plane] & carry);
        sum[plane] = static_cast<Word>(sum[plane] ^ carry);
        carry = next;
      }
    }
    for (std::uint32_t plane = sum_planes; plane-- != 0;)
      if (const auto more = static_cast<Word>(any & sum[plane]); more != 0) any = more;
    return any;
  }

  Rows<Word, Vcs> rows_;
  std::uint32_t planes_, all_vcs_, summed_vcs_;
};

}  // namespace faultline::wormhole::planes
