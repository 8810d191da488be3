// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "faultline/routing/states.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Whether output_bits() suffices to compare two destinations: every source injects by any channel, and every
/// move is an escape.
[[nodiscard]] bool compares_by_output_bits(const RoutingRelation& relation);

/// Recognises destinations that are equivalent to one that has been enumerated: their packets move among the
/// same states by the same moves, except for the last, over the destination's own ejection channels. Every
/// state is compared.
class AlikeDestinations {
 public:
  explicit AlikeDestinations(const RoutingRelation& relation);

  /// False if the relation cannot be compared this way: the caller then enumerates.
  [[nodiscard]] bool applicable() const { return applicable_; }

  /// `states` are those of `known`. O(states).
  [[nodiscard]] bool alike(const DestinationStates& states, TerminalId known, TerminalId other) const;

 private:
  [[nodiscard]] bool attached_alike(TerminalId known, TerminalId other) const;
  [[nodiscard]] std::uint64_t without_ejection(SwitchId at, std::uint64_t bits, bool& ejects) const;

  const RoutingRelation& relation_;
  const Topology& topology_;
  bool applicable_;
};

}  // namespace faultline
#pragma GCC visibility pop
