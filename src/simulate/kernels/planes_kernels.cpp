// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/base/error.h"
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

const Kernel& chosen_kernel() {
  const char* const variable = "FAULTLINE_WORMHOLE_KERNEL";
  const char* const name = std::getenv(variable);
  if (name == nullptr) return *kernels().front();
  std::string allowed;
  for (const Kernel* kernel : kernels()) {
    if (std::string_view(name) == kernel->name) return *kernel;
    allowed.append(allowed.empty() ? "must be one of the kernels that run here: " : ", ")
        .append(kernel->name);
  }
  throw Error(variable, name, allowed);
}

}  // namespace faultline::wormhole::planes
