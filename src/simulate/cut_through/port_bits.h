// SPDX-License-Identifier: Apache-2.0
// Bits of a word.
#pragma once

#include <bit>
#include <cstdint>

namespace faultline::cut_through {

constexpr std::uint64_t bit(unsigned position) { return std::uint64_t{1} << position; }

constexpr bool is_single(std::uint64_t mask) { return mask != 0 && (mask & (mask - 1)) == 0; }

inline constexpr std::uint64_t ones = 0x0101010101010101;

/// Byte i: the set bits of `mask` in its bytes 0 … i. Without the popcount instruction, which old processors
/// lack.
constexpr std::uint64_t running_counts(std::uint64_t mask) {
  mask -= mask >> 1 & 0x5555555555555555;
  mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0f) * ones;
}

constexpr unsigned count(std::uint64_t mask) { return static_cast<unsigned>(running_counts(mask) >> 56); }

/// How many bytes of `counts`, each below 128 and none below the one before, are at most `rank`.
constexpr unsigned bytes_not_above(std::uint64_t counts, std::uint32_t rank) {
  constexpr std::uint64_t tops = ones << 7;
  const std::uint64_t not_above = (((rank * ones) | tops) - counts) & tops;
  return static_cast<unsigned>((not_above >> 7) * ones >> 56);
}

/// The position of the `rank`-th (from 0, below 64) set bit of `mask`: first its byte, then the bit in that.
/// Without a loop, whose length a processor could not predict.
constexpr unsigned nth_bit(std::uint64_t mask, std::uint32_t rank) {
  const std::uint64_t counts = running_counts(mask);
  const unsigned byte = bytes_not_above(counts, rank) * 8;
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): a rank below count(mask) has a byte
  const auto left = static_cast<std::uint32_t>(rank - (counts << 8 >> byte & 0xff));
  const std::uint64_t spread = (mask >> byte & 0xff) * ones & 0x8040201008040201;  // bit i into byte i
  const std::uint64_t set = (spread + 0x7f * ones) >> 7 & ones;
  return byte + bytes_not_above(set * ones, left);
}
static_assert(count(~std::uint64_t{0}) == 64 && nth_bit(~std::uint64_t{0}, 63) == 63 &&
              nth_bit(0b1010'0000'0001'0000, 1) == 13);

}  // namespace faultline::cut_through
