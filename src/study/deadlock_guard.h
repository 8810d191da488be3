// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "faultline/routing/kind.h"
#include "faultline/routing/switching.h"
#include "faultline/selection/selection.h"

namespace faultline {

/// A routing with a selection function, about to be simulated.
struct SimulatedPair {
  const RoutingRelation& relation;
  const FaultSet& known;  ///< what the relation is built without
  std::string routing, selection;
  const SelectionRule& rule;
  Switching switching;
};

/// Why the pair is not known to be free of deadlock; nothing where it is. Consulted, in this order:
/// - the routing's claim, which the tests hold it to on its samples, where no faults are known. A claim that
///   relies on escape channels holds only for a selection function that asks for all options.
/// - where nothing is claimed: verify(), on networks of up to 2^22 pairs of a terminal and a switch
/// (seconds).
[[nodiscard]] std::optional<std::string> unproved_because(const SimulatedPair& pair);

}  // namespace faultline
