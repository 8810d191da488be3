// SPDX-License-Identifier: Apache-2.0
// 16 switches (8 of more than 8 ports) in one register. Compiled for AVX-512: nothing of it may be called
// before `available` says so.
#include "simulate/kernels/lanes_kernel.h"

#ifdef __AVX512F__
#include "simulate/kernels/lanes_select.h"
#endif

namespace faultline::wormhole::lanes {

#ifdef __AVX512F__
extern constinit const Kernel avx512_kernel{"avx512",
                                            [] { return __builtin_cpu_supports("x86-64-v4") != 0; },
                                            16,
                                            8,
                                            select<std::uint32_t, 16>,
                                            select<std::uint64_t, 8>};
#else
extern constinit const Kernel avx512_kernel{"avx512", [] { return false; }, 16, 8, nullptr, nullptr};
#endif

}  // namespace faultline::wormhole::lanes
