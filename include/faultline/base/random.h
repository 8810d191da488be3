// SPDX-License-Identifier: Apache-2.0
// Counter-based randomness: every draw is a function of (seed, stream, index), never of earlier draws, so
// that results do not depend on threads, ranks or kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
namespace faultline {

/// Four 32-bit words of Philox4x32-10 (Salmon et al., SC'11) at one counter.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint64_t stream,
                                                            std::uint64_t index) {
  auto x0 = static_cast<std::uint32_t>(index), x1 = static_cast<std::uint32_t>(index >> 32);
  auto x2 = static_cast<std::uint32_t>(stream), x3 = static_cast<std::uint32_t>(stream >> 32);
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x0, b = std::uint64_t{0xCD9E8D57} * x2;
    x0 = static_cast<std::uint32_t>(b >> 32) ^ x1 ^ key0;
    x1 = static_cast<std::uint32_t>(b);
    x2 = static_cast<std::uint32_t>(a >> 32) ^ x3 ^ key1;
    x3 = static_cast<std::uint32_t>(a);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return {x0, x1, x2, x3};
}

/// A 64-bit finaliser (Steele et al., SplitMix64): for the simulators' hot decisions, where Philox is too
/// slow.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A well-mixed word of three keys.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return mix(a * 0x9e3779b97f4a7c15ULL + mix(b * 0xc2b2ae3d27d4eb4fULL + c * 0x165667b19e3779f9ULL + 1));
}
/// The same in two steps, where b and a part of c stay the same: mix(a, b, c + d) is
/// mix_rest(a, mix_first(b, c), d).
[[nodiscard]] constexpr std::uint64_t mix_first(std::uint64_t b, std::uint64_t c) {
  return b * 0xc2b2ae3d27d4eb4fULL + c * 0x165667b19e3779f9ULL + 1;
}
[[nodiscard]] constexpr std::uint64_t mix_rest(std::uint64_t a, std::uint64_t first, std::uint64_t d) {
  return mix(a * 0x9e3779b97f4a7c15ULL + mix(first + d * 0x165667b19e3779f9ULL));
}

/// Maps 32 random bits onto 0 … count - 1 (Lemire's multiply-shift; bias below count / 2^32).
[[nodiscard]] constexpr std::uint32_t below(std::uint32_t random, std::uint32_t count) {
  return static_cast<std::uint32_t>((std::uint64_t{random} * count) >> 32);
}

/// Maps 64 random bits onto the open interval (0, 1). The sum of the largest ones would be rounded to 1.
[[nodiscard]] constexpr double unit_interval(std::uint64_t random) {
  return std::min((static_cast<double>(random >> 11) + 0.5) * 0x1p-53, 1 - 0x1p-53);
}

/// A stream of Philox words, for code that draws a number of values not known beforehand.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint32_t next() {
    if (used_ == block_.size()) {
      block_ = philox(seed_, stream_, index_++);
      used_ = 0;
    }
    return block_[used_++];
  }
  std::uint32_t next_below(std::uint32_t count) { return below(next(), count); }
  double next_unit() { return unit_interval((std::uint64_t{next()} << 32) | next()); }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t index_ = 0;
  std::array<std::uint32_t, 4> block_{};
  std::size_t used_ = 4;
};

}  // namespace faultline
#pragma GCC visibility pop
