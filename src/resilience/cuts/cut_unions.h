// SPDX-License-Identifier: Apache-2.0
// What faults can do at worst to a network whose routing is computed anew after them.
#pragma once

#include <vector>

#include "resilience/cuts/network_cuts.h"

namespace faultline::survival {

struct CutUnions {
  std::vector<std::vector<Component>> sets;  ///< each of some faults, in no order
  /// Whether any so many faults cut off no more pairs than some of these sets do.
  bool complete = false;
};

/// Sets of at most `largest` components that are unions of minimal cuts: between switches that are joined
/// both ways, faults cut off the pairs that the minimal cuts among them do. No more than some hundred
/// thousand.
[[nodiscard]] CutUnions cut_unions(const Subject& subject, std::uint32_t largest);

}  // namespace faultline::survival
