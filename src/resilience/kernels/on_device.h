// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks what a graphics processor runs where it is compiled for one.
#ifdef __CUDACC__
#define FAULTLINE_ON_DEVICE __device__
#else
#define FAULTLINE_ON_DEVICE
#endif
