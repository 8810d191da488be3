// SPDX-License-Identifier: Apache-2.0
// Permutations of the components that preserve the network.
#pragma once

#include <span>

#include "faultline/resilience/switch_graph.h"

namespace faultline::survival {

/// By component, the component that it becomes.
using Permutation = std::vector<std::uint32_t>;

/// The permutations of components that follow from permutations of the switches, the identity first. A
/// permutation of the switches counts only if it maps links to links, and the terminals of each set of
/// switches to equally many terminals of its image (both are checked); if `candidates` are a group, so is the
/// result. Terminals of the same switches keep their order.
[[nodiscard]] std::vector<Permutation> component_symmetries(
    const FaultComponents& components, const SwitchGraph& network,
    std::span<const std::vector<std::uint32_t>> candidates);

}  // namespace faultline::survival
