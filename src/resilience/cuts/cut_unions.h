// SPDX-License-Identifier: Apache-2.0
// The most harmful fault sets of a network whose routing is computed anew after faults.
#pragma once

#include <vector>

#include "resilience/cuts/network_cuts.h"

namespace faultline::survival {

struct CutUnions {
  std::vector<std::vector<Component>> sets;  ///< in no order
  /// Whether no set of at most `largest` faults cuts off more pairs than the worst of these.
  bool complete = false;
};

/// Sets of at most `largest` components that are unions of minimal cuts: where links are two-way, faults cut
/// off exactly the pairs that the minimal cuts among them do. At most some hundred thousand.
[[nodiscard]] CutUnions cut_unions(const Subject& subject, std::uint32_t largest);

}  // namespace faultline::survival
