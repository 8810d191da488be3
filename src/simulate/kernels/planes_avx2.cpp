// SPDX-License-Identifier: Apache-2.0
// 32 switches of up to 8 ports in one register, 4 of up to 64. Compiled for AVX2: not to be called before
// `available` returns true.
#include "simulate/kernels/planes_kernel.h"

#ifdef __AVX2__
#include "simulate/kernels/planes_plain_vectors.h"
#include "simulate/kernels/planes_select.h"
#endif

namespace faultline::wormhole::planes {

#ifdef __AVX2__
extern constinit const Kernel avx2_kernel{"avx2",
                                          [] { return __builtin_cpu_supports("avx2") != 0; },
                                          32,
                                          true,
                                          select<PlainVectors<Byte, 32>>,
                                          select<PlainVectors<std::uint16_t, 32>>,
                                          select<PlainVectors<std::uint32_t, 32>>,
                                          select<PlainVectors<std::uint64_t, 32>>,
                                          sender_steps<PlainVectors<Byte, 32>>};
#else
extern constinit const Kernel avx2_kernel{"avx2", [] { return false; }, 32, true, nullptr, nullptr, nullptr,
                                          nullptr};
#endif

}  // namespace faultline::wormhole::planes
