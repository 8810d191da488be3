// SPDX-License-Identifier: Apache-2.0
// Counts as bit-planes: plane i holds bit i of the count of every bit position of every lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::wormhole::planes {

/// `Planes` is 0 if it is known only at run time. The planes of a count are neighbouring rows.
template <class Simd, std::uint32_t Planes>
class PlaneCounts {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  static constexpr std::uint32_t lanes = Simd::lanes;

 public:
  explicit PlaneCounts(std::uint32_t planes) : planes_(Planes != 0 ? Planes : planes) {}

  /// One more where `up` is set, one less where `down` is. Returns where the count is not zero afterwards.
  Vector change(Word* first, Vector up, Vector down) const {
    Vector carry = up ^ down, any = Simd::zero();
    down &= carry;
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      Word* const row = first + plane * lanes;
      const Vector before = Simd::load(row), after = before ^ carry;
      Simd::store(row, after);
      any |= after;
      carry = Simd::and_xor(carry, before, down);
    }
    return any;
  }
  /// One less where `down` is set; where `restart` is set, which is elsewhere, it becomes `number`. Returns
  /// where the count is not zero afterwards.
  Vector change_or_restart(Word* first, Vector down, Vector restart, std::uint32_t number) const {
    Vector any = Simd::zero();
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      Word* const row = first + plane * lanes;
      const Vector before = Simd::load(row), changed = before ^ down;
      const Vector after = (number >> plane & 1) != 0 ? changed | restart : Simd::and_not(changed, restart);
      Simd::store(row, after);
      any |= after;
      down = Simd::and_not(down, before);
    }
    return any;
  }
  /// Where the count in memory, plus one where `carry` is set, is `number`.
  [[nodiscard]] Vector is_with(const Word* first, Vector carry, std::uint32_t number) const {
    Vector differs = Simd::zero();
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      const Vector before = Simd::load(first + plane * lanes), after = before ^ carry;
      differs |= (number >> plane & 1) != 0 ? ~after : after;
      carry &= before;
    }
    return ~differs;
  }

 private:
  std::uint32_t planes_;
};

}  // namespace faultline::wormhole::planes
