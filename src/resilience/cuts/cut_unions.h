// SPDX-License-Identifier: Apache-2.0
// The most harmful fault sets of a network whose routing is recomputed after faults.
#pragma once

#include <vector>

#include "resilience/cuts/network_cuts.h"

namespace faultline::survival {

struct CutUnions {
  std::vector<std::vector<Component>> sets;  ///< in no order
  /// Whether no set of at most `largest` faults disconnects more pairs than the worst of these.
  bool complete = false;
};

/// Sets of at most `largest` components that are unions of minimal cuts: if links are two-way, a fault set
/// disconnects exactly the pairs that the minimal cuts within it do. At most some hundred thousand. Once
/// `stop` is set, no more are looked for.
[[nodiscard]] CutUnions cut_unions(const Subject& subject, std::uint32_t largest, StopFlag stop = nullptr);

}  // namespace faultline::survival
