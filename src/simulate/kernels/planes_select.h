// SPDX-License-Identifier: Apache-2.0
// Included by each kernel: its instances of the vector part.
#pragma once

#include "simulate/kernels/planes_kernel.h"
#include "simulate/planes/cycle.h"

namespace faultline::wormhole::planes {

template <class Simd>
Advance<typename Simd::Word> select(std::uint32_t vcs, std::uint32_t planes) {
  if (vcs <= few_vcs)
    return planes != 0 ? &Cycle<Simd, few_vcs, few_planes>::advance : &Cycle<Simd, few_vcs, 0>::advance;
  return planes != 0 ? &Cycle<Simd, most_vcs, few_planes>::advance : &Cycle<Simd, most_vcs, 0>::advance;
}

}  // namespace faultline::wormhole::planes
