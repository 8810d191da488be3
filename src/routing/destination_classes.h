// SPDX-License-Identifier: Apache-2.0
// Destinations of which one stands for all: what is known about the packets of each would otherwise be found,
// and kept, once for every terminal of a switch.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/routing/relation.h"

namespace faultline {

struct DestinationClasses {
  std::vector<std::uint32_t> class_of;  ///< by terminal
  std::vector<TerminalId> first;        ///< by class: the terminal that stands for it

  /// Each terminal is a class.
  static DestinationClasses of_single(const Topology& topology);
  /// Terminals whose packets move among the same states by the same moves, except for the last, and that
  /// healthy ejection channels reach from the same switches. O(terminals * switches) if a relation whose
  /// output bits suffice for that routes them by few different tables; others have classes of one.
  static DestinationClasses of_alike(const RoutingRelation& relation, const FaultSet& dead);
};

}  // namespace faultline
