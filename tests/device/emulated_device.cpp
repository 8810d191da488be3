// SPDX-License-Identifier: Apache-2.0
// The library's own device is left aside: this one is linked first.
#include "resilience/kernels/cuda.cu"
