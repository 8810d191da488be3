// SPDX-License-Identifier: Apache-2.0
// One switch at a time, in ordinary words.
#include "simulate/kernels/lanes_select.h"

namespace faultline::wormhole::lanes {

extern constinit const Kernel portable_kernel{"portable", [] { return true; },      1,
                                              1,          select<std::uint32_t, 1>, select<std::uint64_t, 1>};

}  // namespace faultline::wormhole::lanes
