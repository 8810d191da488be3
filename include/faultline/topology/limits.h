// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace faultline {

/// Larger networks do not fit the memory of the intended machines.
inline constexpr std::uint64_t max_terminals = std::uint64_t{1} << 20;

/// a * b, or 2^64 - 1 where that is less.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);

/// k^n, likewise.
[[nodiscard]] std::uint64_t saturating_power(std::uint64_t k, std::uint32_t n);

/// Throws Error("topology.n") when `trees` times k^n terminals are more than max_terminals.
void require_terminal_count(std::uint32_t k, std::uint32_t n, std::uint32_t trees = 1);

}  // namespace faultline
#pragma GCC visibility pop
