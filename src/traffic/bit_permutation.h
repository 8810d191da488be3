// SPDX-License-Identifier: Apache-2.0
// Patterns that map each source to one destination by permuting or inverting the bits of its number.
#pragma once

#include <bit>
#include <vector>

#include "faultline/traffic/pattern.h"

namespace faultline {

/// One destination a source; a source that is mapped to itself is silent.
class FixedDestinations final : public TrafficPattern {
 public:
  explicit FixedDestinations(std::vector<TerminalId> destinations) : destinations_(std::move(destinations)) {}
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t) const override {
    return destinations_[source.index()];
  }
  [[nodiscard]] bool silent(TerminalId source) const override {
    return destinations_[source.index()] == source;
  }

 private:
  std::vector<TerminalId> destinations_;
};

/// `map(address, bits)` → address. Throws Error("traffic") unless the number of terminals is 2^bits, bits at
/// least 1.
template <class Map>
[[nodiscard]] PatternPtr bit_permutation(const Topology& topology, std::string_view pattern, Map map) {
  const auto terminals = static_cast<std::uint32_t>(topology.terminal_count());
  if (terminals < 2 || !std::has_single_bit(terminals))
    throw Error("traffic", std::string(pattern),
                "needs a number of terminals that is a power of two; " + topology.name() + " has " +
                    std::to_string(terminals));
  const auto bits = static_cast<std::uint32_t>(std::countr_zero(terminals));
  std::vector<TerminalId> destinations;
  for (std::uint32_t source = 0; source < terminals; ++source) destinations.emplace_back(map(source, bits));
  return std::make_shared<const FixedDestinations>(std::move(destinations));
}

}  // namespace faultline
