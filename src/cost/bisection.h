// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/topology/topology.h"

namespace faultline {

/// Whether bisection_channels() is no upper bound but the bisection: in trees, meshes, tori and hypercubes,
/// whose terminals are numbered so that blocks of numbers are the halves.
[[nodiscard]] bool is_bisection_exact(const Topology& topology);

}  // namespace faultline
