// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "simulate/kernels/planes_kernel.h"

namespace faultline::wormhole::planes {

extern const Kernel portable_kernel, avx2_kernel, avx512_kernel;

std::span<const Kernel* const> kernels() {
  static const std::vector<const Kernel*> usable = [] {
    std::vector<const Kernel*> found;
    for (const Kernel* kernel : {&avx512_kernel, &avx2_kernel, &portable_kernel})
      if (kernel->available()) found.push_back(kernel);
    return found;
  }();
  return usable;
}

}  // namespace faultline::wormhole::planes
