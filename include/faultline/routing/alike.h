// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Whether output_bits() suffices to compare two destinations: every source injects by all its channels, and
/// every move is an escape.
[[nodiscard]] bool compares_by_output_bits(const RoutingRelation& relation);

/// Recognises destinations that are routed alike: their packets move among the same states by the same moves,
/// except for the last, over the destination's own ejection channels.
class AlikeDestinations {
 public:
  /// Refers to the relation.
  explicit AlikeDestinations(const RoutingRelation& relation);

  /// False if the relation cannot be compared this way: the caller then enumerates.
  [[nodiscard]] bool applicable() const { return applicable_; }

  /// `switches` are all that packets to `known` visit. O(switches).
  [[nodiscard]] bool alike(std::span<const SwitchId> switches, TerminalId known, TerminalId other) const;

 private:
  [[nodiscard]] bool attached_alike(TerminalId known, TerminalId other) const;
  [[nodiscard]] std::uint64_t without_ejection(SwitchId at, std::uint64_t bits, bool& ejects) const;

  const RoutingRelation& relation_;
  const Topology& topology_;
  bool applicable_;
};

}  // namespace faultline
#pragma GCC visibility pop
