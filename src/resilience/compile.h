// SPDX-License-Identifier: Apache-2.0
// Paths into gates.
#pragma once

#include "faultline/resilience/resilience.h"
#include "resilience/circuit.h"
#include "resilience/components_of_channel.h"
#include "resilience/paths.h"

namespace faultline::survival {

/// Adds the pairs of one class of destinations to `circuit`. A pair of terminals is an output of its own only
/// where components fail that hold one terminal's channels; otherwise the pairs of a class are one output.
void compile(Circuit& circuit, const Topology& topology, const ComponentsOfChannel& components,
             Semantics semantics, const DestinationClass& destinations);

}  // namespace faultline::survival
