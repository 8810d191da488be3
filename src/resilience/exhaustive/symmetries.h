// SPDX-License-Identifier: Apache-2.0
// Permutations of what may fail that leave the network as it is.
#pragma once

#include <span>

#include "faultline/resilience/switched_network.h"

namespace faultline::survival {

/// By component, the component that it becomes.
using Permutation = std::vector<std::uint32_t>;

/// The permutations of components that follow from permutations of the switches, the identity first. A
/// permutation of the switches counts only if it is checked to lead links onto links, and the terminals of
/// each set of switches onto as many terminals of its image; where `candidates` are a group, so is the
/// result. Terminals of the same switches keep their order.
[[nodiscard]] std::vector<Permutation> component_symmetries(
    const FaultComponents& components, const SwitchedNetwork& network,
    std::span<const std::vector<std::uint32_t>> candidates);

}  // namespace faultline::survival
