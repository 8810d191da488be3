// SPDX-License-Identifier: Apache-2.0
// How many cases a test examines.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace faultline {

/// FAULTLINE_LONG_TESTS=1: campaigns at the full numbers, which take minutes each.
inline bool long_tests() { return std::getenv("FAULTLINE_LONG_TESTS") != nullptr; }

#ifdef FAULTLINE_UNDER_SANITIZERS
inline constexpr bool under_sanitizers = true;
#else
inline constexpr bool under_sanitizers = false;
#endif

/// Sanitizers slow a test down five to twenty times, and find in a few cases what they find in many; the
/// optimised build checks the answers, in all of them.
template <typename T>
constexpr T effort(T optimised, T sanitized) {
  return under_sanitizers ? sanitized : optimised;
}

/// All cases; every `stride`-th under sanitizers.
template <typename T>
std::vector<T> thinned(std::vector<T> all, std::size_t stride) {
  if (!under_sanitizers) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(std::move(all[i]));
  return some;
}

}  // namespace faultline
