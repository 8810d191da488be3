// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace faultline {

/// Processor time of this thread so far.
[[nodiscard]] inline double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace faultline
