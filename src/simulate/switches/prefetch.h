// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace faultline {

/// Fetches the cache line at an address, which will be read or changed soon.
inline void prefetch(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile(
      "");  // else GCC takes a function that only prefetches for one without effect, and drops the call
}

}  // namespace faultline
