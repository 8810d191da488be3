// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Terminals that healthy ejection channels reach from the same switches need one routing table between them.
struct EjectionClasses {
  EjectionClasses(const Topology& topology, const FaultSet& known);

  std::vector<std::uint32_t> class_of;          ///< by terminal
  std::vector<std::vector<SwitchId>> switches;  ///< by class: where its terminals are ejected
};

}  // namespace faultline
#pragma GCC visibility pop
