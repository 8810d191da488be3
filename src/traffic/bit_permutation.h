// SPDX-License-Identifier: Apache-2.0
// Patterns that map each source to one destination by permuting or inverting the bits of its number.
#pragma once

#include <bit>
#include <vector>

#include "traffic/fixed_destinations.h"

namespace faultline {

/// The `bits` of an address, all inverted.
[[nodiscard]] inline std::uint32_t inverted(std::uint32_t address, std::uint32_t bits) {
  return address ^ ((std::uint32_t{1} << bits) - 1);
}

/// `map(address, bits)` → address. Throws Error("traffic") unless the number of terminals is 2^bits, bits at
/// least 1.
template <class Map>
[[nodiscard]] PatternPtr bit_permutation(const Topology& topology, std::string_view pattern, Map map,
                                         bool self = false) {
  const auto terminals = static_cast<std::uint32_t>(topology.terminal_count());
  if (terminals < 2 || !std::has_single_bit(terminals))
    throw Error("traffic", std::string(pattern),
                "needs a number of terminals that is a power of two; " + topology.name() + " has " +
                    std::to_string(terminals));
  const auto bits = static_cast<std::uint32_t>(std::countr_zero(terminals));
  std::vector<TerminalId> destinations;
  for (std::uint32_t source = 0; source < terminals; ++source) destinations.emplace_back(map(source, bits));
  return std::make_shared<const FixedDestinations>(std::move(destinations), self);
}

}  // namespace faultline
