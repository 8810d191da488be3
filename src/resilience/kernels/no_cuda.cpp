// SPDX-License-Identifier: Apache-2.0
// Replaces cuda.cu if there is no compiler for it.
#include "resilience/kernels/device.h"

namespace faultline::survival {

std::string why_no_device() { return "built without nvcc"; }

std::unique_ptr<Device> open_device(const DeviceSubject& /*subject*/) { throw DeviceError(why_no_device()); }

}  // namespace faultline::survival
