// SPDX-License-Identifier: Apache-2.0
// Included by each kernel: its instances of the vector part and of the steps of terminals.
#pragma once

#include "simulate/kernels/cycle.h"
#include "simulate/kernels/planes_kernel.h"
#include "simulate/kernels/sender_steps.h"
#include "simulate/kernels/vc_matching.h"

namespace faultline::wormhole::planes {

template <class Simd, std::uint32_t Vcs>
Advance<typename Simd::Word> select([[maybe_unused]] std::uint32_t planes) {
#ifndef FAULTLINE_CHECKS  // with sanitizers each instance takes long to compile: there one does for all
                          // counts
  if (planes != 0) return &Cycle<Simd, Vcs, few_planes>::advance;
#endif
  return &Cycle<Simd, Vcs, 0>::advance;
}

template <class Simd, std::uint32_t Vcs>
GroupSteps<typename Simd::Word> group_steps(std::uint32_t planes) {
  return {select<Simd, Vcs>(planes), vc_steps<Simd, Vcs, false>(), vc_steps<Simd, Vcs, true>()};
}

template <class Simd>
GroupSteps<typename Simd::Word> select(std::uint32_t vcs, std::uint32_t planes) {
  if constexpr (!has_engine<typename Simd::Word>)
    return {};
  else
    return vcs <= few_vcs ? group_steps<Simd, few_vcs>(planes) : group_steps<Simd, max_vcs_by_planes>(planes);
}

}  // namespace faultline::wormhole::planes
