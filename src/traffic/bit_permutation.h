// SPDX-License-Identifier: Apache-2.0
// Patterns that map each source to one destination by permuting or inverting the bits of its number.
#pragma once

#include <bit>
#include <vector>

#include "faultline/traffic/pattern.h"

namespace faultline {

/// The behaviour of a source that a pattern maps to itself. Simulators differ here, and accepted traffic with
/// them.
struct SelfTraffic {
  std::string self = "silence";

  template <class Params>
  static void self_field(auto& field) {
    constexpr std::string Params::*member = &Params::self;  // as a member of the derived struct
    field("self", member, one_of({"silence", "include"}),
          "a source that is mapped to itself is silent, or sends to itself");
  }
  [[nodiscard]] bool included() const { return self == "include"; }
};

/// One destination per source; a source that is mapped to itself is silent, unless it is to send to itself.
class FixedDestinations final : public TrafficPattern {
 public:
  explicit FixedDestinations(std::vector<TerminalId> destinations, bool self = false)
      : destinations_(std::move(destinations)), self_(self) {}
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t) const override {
    return destinations_[source.index()];
  }
  [[nodiscard]] bool silent(TerminalId source) const override {
    return !self_ && destinations_[source.index()] == source;
  }

 private:
  std::vector<TerminalId> destinations_;
  bool self_;
};

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
