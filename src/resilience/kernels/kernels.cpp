// SPDX-License-Identifier: Apache-2.0
#include "resilience/kernels/kernel.h"

namespace faultline::survival {

extern const Kernel avx512_kernel, avx2_kernel, word_kernel;

std::span<const Kernel* const> kernels() {
  static constexpr const Kernel* all[] = {&avx512_kernel, &avx2_kernel, &word_kernel};
  return all;
}

const Kernel& fastest_kernel() {
  for (const Kernel* kernel : kernels())
    if (kernel->available()) return *kernel;
  return word_kernel;
}

}  // namespace faultline::survival
