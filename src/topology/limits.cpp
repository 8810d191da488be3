// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/limits.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "faultline/base/error.h"

namespace faultline {

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

std::uint64_t saturating_power(std::uint64_t k, std::uint32_t n) {
  std::uint64_t power = 1;
  for (std::uint32_t i = 0; i < n; ++i) power = saturating_product(power, k);
  return power;
}

void require_terminal_count(std::uint32_t k, std::uint32_t n, std::uint32_t trees) {
  if (saturating_product(trees, saturating_power(k, n)) > max_terminals)
    throw Error("topology.n", std::to_string(n),
                fmt::format("{}k^n must be at most {} terminals (k={})",
                            trees == 1 ? "" : std::to_string(trees), max_terminals, k));
}

}  // namespace faultline
