// SPDX-License-Identifier: Apache-2.0
// Counts as bit-planes: plane i holds bit i of the count of every bit position of every lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::wormhole::planes {

/// `Planes` is 0 if it is known only at run time: then it is up to most_planes. In memory the planes of a
/// count are neighbouring rows.
template <class Simd, std::uint32_t Planes>
class PlaneCounts {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t most_planes = Planes != 0 ? Planes : 15;

 public:
  using Count = Vector[most_planes];

  explicit PlaneCounts(std::uint32_t planes) : planes_(Planes != 0 ? Planes : planes) {}

  /// The count in memory plus one where `carry` is set.
  void load_and_add(const Word* first, Count& count, Vector carry) const {
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      const Vector before = Simd::load(first + plane * lanes);
      count[plane] = before ^ carry;
      carry &= before;
    }
  }
  void subtract(Count& count, Vector borrow) const {
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      const Vector before = count[plane];
      count[plane] = before ^ borrow;
      borrow = Simd::and_not(borrow, before);
    }
  }
  [[nodiscard]] Vector not_zero(const Count& count) const {
    if constexpr (Planes == 5) {
      return Simd::or3(Simd::or3(count[0], count[1], count[2]), count[3], count[4]);
    } else {
      Vector any = Simd::zero();
      for (std::uint32_t plane = 0; plane < planes_; ++plane) any |= count[plane];
      return any;
    }
  }
  [[nodiscard]] Vector equal_to(const Count& count, std::uint32_t number) const {
    Vector differs = Simd::zero();
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane)
      differs |= (number >> plane & 1) != 0 ? ~count[plane] : count[plane];
    return ~differs;
  }
  void load(const Word* first, Count& count) const {
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane) count[plane] = Simd::load(first + plane * lanes);
  }
  void store(Word* first, const Count& count) const {
#pragma GCC unroll 5
    for (std::uint32_t plane = 0; plane < planes_; ++plane) Simd::store(first + plane * lanes, count[plane]);
  }
  /// Sets the count in memory to `number` where `where` is set.
  void set(Word* first, Vector where, std::uint32_t number) const {
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      Word* const row = first + plane * lanes;
      const Vector before = Simd::load(row);
      Simd::store(row, (number >> plane & 1) != 0 ? before | where : Simd::and_not(before, where));
    }
  }

 private:
  std::uint32_t planes_;
};

}  // namespace faultline::wormhole::planes
