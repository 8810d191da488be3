// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace faultline {

/// Larger networks do not fit the memory of the machines that this is made for.
inline constexpr std::uint64_t max_terminals = std::uint64_t{1} << 20;

/// Throws Error("topology.n") when k^n terminals are more than max_terminals.
void require_terminal_count(std::uint32_t k, std::uint32_t n);

}  // namespace faultline
