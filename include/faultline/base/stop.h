// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace faultline {

/// Set by whoever wants long work to end soon, and looked at by whoever works long. Null: never.
using StopFlag = const std::atomic<bool>*;

[[nodiscard]] inline bool is_set(StopFlag stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

}  // namespace faultline
