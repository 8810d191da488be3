// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/topology/topology.h"

namespace faultline {

/// Whether bisection_channels() is no upper bound but the bisection: in trees, and in meshes, tori and
/// hypercubes whose largest radix is even, which the cut across that dimension halves.
[[nodiscard]] bool is_bisection_exact(const Topology& topology);

}  // namespace faultline
