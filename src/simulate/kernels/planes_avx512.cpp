// SPDX-License-Identifier: Apache-2.0
// 64 switches of up to 8 ports in one register, 8 of up to 64. Compiled for AVX-512 with byte permutations
// and transposition of bits (GFNI): not to be called before `available` returns true.
#include "simulate/kernels/planes_kernel.h"

#if defined(__AVX512VBMI__) && defined(__GFNI__)
#include "simulate/kernels/planes_avx512.h"
#include "simulate/kernels/planes_select.h"
#endif

namespace faultline::wormhole::planes {

#if defined(__AVX512VBMI__) && defined(__GFNI__)
namespace {

/// Level x86-64-v4, by its parts: clang 16 does not know it by name.
bool is_supported() {
  return __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("gfni") != 0;
}

}  // namespace

extern constinit const Kernel avx512_kernel{"avx512",
                                            is_supported,
                                            64,
                                            true,
                                            select<Avx512<Byte>>,
                                            select<Avx512<std::uint16_t>>,
                                            select<Avx512<std::uint32_t>>,
                                            select<Avx512<std::uint64_t>>,
                                            sender_steps<Avx512<Byte>>,
                                            0.5};
#else
extern constinit const Kernel avx512_kernel{
    "avx512", [] { return false; }, 64, true, nullptr, nullptr, nullptr, nullptr, nullptr};
#endif

}  // namespace faultline::wormhole::planes
