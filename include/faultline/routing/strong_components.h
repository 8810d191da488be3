// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/routing/states.h"

#pragma GCC visibility push(default)
namespace faultline {

/// States in groups that reach each other: a group comes after those that it leads to, and names its states
/// in rising order. `cyclic`: the group has a move into itself.
struct StateGroup {
  std::vector<std::uint32_t> states;
  bool cyclic = false;
};

/// Tarjan's algorithm, without recursion.
[[nodiscard]] std::vector<StateGroup> strong_components(const DestinationStates& states);

}  // namespace faultline
#pragma GCC visibility pop
