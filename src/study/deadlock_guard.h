// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "faultline/routing/kind.h"
#include "faultline/routing/switching.h"
#include "faultline/selection/selection.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

/// A routing with a selection function, about to be simulated.
struct SimulatedPair {
  const RoutingRelation& relation;
  const FaultSet& known;  ///< what the relation is built without
  std::string routing, selection;
  const SelectionRule& rule;
  Switching switching;
  bool channels_fail = false;  ///< during the run: the first living option of a state is not always the same
};

/// Why the pair is not known to be free of deadlock; absent if it is. Checks, in this order:
/// - the routing's claim, which the tests verify on its samples, if no faults are known. A claim that relies
///   on escape channels holds only for a selection function that requests all options.
/// - otherwise verify(), on networks of up to 2^22 pairs of a terminal and a switch (seconds), 2^17 where a
/// selection function that commits meets escape channels; larger ones count as not proved.
[[nodiscard]] std::optional<std::string> unproved_because(const SimulatedPair& pair);

/// Why a pair that is proved free of deadlock for the channels that are down at first may deadlock when
/// others fail during the run; absent if none do, or if the proof holds whatever fails. Escape channels may
/// fail while a packet still waits for others. Checks, in this order:
/// - the routing's claim (WhileChannelsFail);
/// - otherwise deadlock_free_whatever_fails(), for networks of the same sizes.
[[nodiscard]] std::optional<std::string> unproved_while_channels_fail(const SimulatedPair& pair);

/// unproved_because() at the beginning, or else of the first of the reroutings in `spec` that is not known to
/// be free of deadlock. `delay`: cycles from a change of the network to its rerouting.
[[nodiscard]] std::optional<std::string> unproved_while_rerouted(const SimulatedPair& first,
                                                                 const Damage& damage,
                                                                 const SimulationSpec& spec,
                                                                 std::uint64_t delay);

}  // namespace faultline
