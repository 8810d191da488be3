// SPDX-License-Identifier: Apache-2.0
// Sets of ports as bits of a word.
#pragma once

#include <bit>
#include <cstdint>

namespace faultline::cut_through {

constexpr std::uint64_t bit(unsigned position) { return std::uint64_t{1} << position; }

constexpr bool is_single(std::uint64_t mask) { return mask != 0 && (mask & (mask - 1)) == 0; }

inline constexpr std::uint64_t ones = 0x0101010101010101;

/// Byte i: the set bits of `mask` in its bytes 0 … i. Without the population count that old processors lack.
constexpr std::uint64_t running_counts(std::uint64_t mask) {
  mask -= mask >> 1 & 0x5555555555555555;
  mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0f) * ones;
}

constexpr unsigned count(std::uint64_t mask) { return static_cast<unsigned>(running_counts(mask) >> 56); }

/// The position of the `rank`-th (from 0, below 64) set bit of `mask`.
constexpr unsigned nth_bit(std::uint64_t mask, std::uint32_t rank) {
  constexpr std::uint64_t tops = ones << 7;
  const std::uint64_t counts = running_counts(mask);
  const std::uint64_t not_above =
      (((rank * ones) | tops) - counts) & tops;  // bytes whose running count is at most rank
  const unsigned byte = static_cast<unsigned>((not_above >> 7) * ones >> 56) * 8;
  std::uint64_t rest = mask >> byte & 0xff;
  for (auto skipped = rank - static_cast<std::uint32_t>(counts << 8 >> byte & 0xff); skipped != 0; --skipped)
    rest &= rest - 1;
  return byte + static_cast<unsigned>(std::countr_zero(rest));
}
static_assert(count(~std::uint64_t{0}) == 64 && nth_bit(~std::uint64_t{0}, 63) == 63 &&
              nth_bit(0b1010'0000'0001'0000, 1) == 13);

}  // namespace faultline::cut_through
