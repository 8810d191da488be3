// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

namespace faultline {

/// n choose k, or `most` where it is more.
inline std::uint64_t choose_up_to(std::uint64_t n, std::uint64_t k, std::uint64_t most) {
  if (k > n) return 0;
  std::uint64_t value = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) {
    const std::uint64_t common = std::gcd(value, i), factor = (n - i + 1) / (i / common);
    if (value / common > most / factor) return most;
    value = value / common * factor;
  }
  return std::min(value, most);
}

/// n choose k, rounded.
inline double choose_about(double n, std::uint32_t k) {
  double value = 1;
  for (std::uint32_t i = 0; i < k; ++i) value *= (n - i) / (i + 1);
  return value;
}

/// Makes of ascending numbers below `n` the next such set in lexicographic order; false after the last one.
inline bool next_combination(std::span<std::uint32_t> set, std::uint64_t n) {
  for (std::size_t i = set.size(); i-- > 0;) {
    if (set[i] + (set.size() - i) >= n) continue;
    for (std::uint32_t next = set[i] + 1; i < set.size(); ++i, ++next) set[i] = next;
    return true;
  }
  return false;
}

/// Set `number` of all sets of set.size() numbers below `n`, in lexicographic order. There are fewer than
/// 2^64 of them.
inline void find_combination(std::span<std::uint32_t> set, std::uint64_t n, std::uint64_t number) {
  std::uint32_t member = 0;
  for (std::size_t i = 0; i < set.size(); ++i, ++member) {
    for (;; ++member) {
      const std::uint64_t starting_here =
          choose_up_to(n - member - 1, set.size() - i - 1, std::numeric_limits<std::uint64_t>::max());
      if (number < starting_here) break;
      number -= starting_here;
    }
    set[i] = member;
  }
}

}  // namespace faultline
