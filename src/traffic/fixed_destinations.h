// SPDX-License-Identifier: Apache-2.0
// Patterns that map each source to one destination.
#pragma once

#include <string>
#include <utility>
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

}  // namespace faultline
