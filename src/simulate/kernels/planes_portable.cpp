// SPDX-License-Identifier: Apache-2.0
// Vectors of 16 bytes, which every x86-64 and ARM64 has, and the compiler makes of words elsewhere.
#include "simulate/kernels/planes_plain_vectors.h"
#include "simulate/kernels/planes_select.h"

namespace faultline::wormhole::planes {

extern constinit const Kernel portable_kernel{"portable",
                                              [] { return true; },
                                              16,
                                              false,
                                              select<PlainVectors<Byte, 16>>,
                                              select<PlainVectors<std::uint16_t, 16>>,
                                              select<PlainVectors<std::uint32_t, 16>>,
                                              select<PlainVectors<std::uint64_t, 16>>,
                                              sender_steps<PlainVectors<Byte, 16>>};

}  // namespace faultline::wormhole::planes
