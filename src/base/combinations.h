// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace faultline {

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
  const auto choose = [](std::uint64_t from, std::uint64_t k) {
    if (k > from) return std::uint64_t{0};
    k = std::min(k, from - k);
    std::uint64_t result = 1;
    for (std::uint64_t i = 1; i <= k; ++i) result = result * (from - i + 1) / i;
    return result;
  };
  std::uint32_t member = 0;
  for (std::size_t i = 0; i < set.size(); ++i, ++member) {
    for (;; ++member) {
      const std::uint64_t starting_here = choose(n - member - 1, set.size() - i - 1);
      if (number < starting_here) break;
      number -= starting_here;
    }
    set[i] = member;
  }
}

}  // namespace faultline
