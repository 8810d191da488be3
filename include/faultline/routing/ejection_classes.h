// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Terminals that healthy ejection channels reach from the same switches share one routing table.
struct EjectionClasses {
  EjectionClasses(const Topology& topology, const FaultSet& known);

  std::vector<std::uint32_t> class_of;          ///< by terminal
  std::vector<std::vector<SwitchId>> switches;  ///< by class: the switches that eject to its terminals
};

}  // namespace faultline
#pragma GCC visibility pop
