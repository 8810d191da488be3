// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "faultline/routing/relation.h"
#include "faultline/simulate/spec.h"
#include "simulate/kernels/planes_kernel.h"

namespace faultline::wormhole::planes {

struct VectorAllocation {
  bool possible = false;  ///< kernels/vc_matching.h, in groups of switches where it is worth it
  bool alike = false;     ///< each head may take any VC of its ports
};
/// `inputs`: VCs of the inputs of a switch. Only where heads choose among outputs: elsewhere an ask is cheap.
[[nodiscard]] VectorAllocation vector_allocation(const Kernel& kernel, const RoutingRelation& relation,
                                                 const SimulationSpec& spec, std::uint32_t vcs,
                                                 std::uint32_t inputs);

}  // namespace faultline::wormhole::planes
