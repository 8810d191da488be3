// SPDX-License-Identifier: Apache-2.0
// 8 switches (4 of more than 8 ports) in one register. Compiled for AVX2: nothing of it may be called before
// `available` says so.
#include "simulate/kernels/lanes_kernel.h"

#ifdef __AVX2__
#include "simulate/kernels/lanes_select.h"
#endif

namespace faultline::wormhole::lanes {

#ifdef __AVX2__
extern constinit const Kernel avx2_kernel{"avx2",
                                          [] { return __builtin_cpu_supports("avx2") != 0; },
                                          8,
                                          4,
                                          select<std::uint32_t, 8>,
                                          select<std::uint64_t, 4>};
#else
extern constinit const Kernel avx2_kernel{"avx2", [] { return false; }, 8, 4, nullptr, nullptr};
#endif

}  // namespace faultline::wormhole::lanes
