// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks functions that also run on a GPU, when compiled for one.
#ifdef __CUDACC__
#define FAULTLINE_ON_DEVICE __device__
#else
#define FAULTLINE_ON_DEVICE
#endif
