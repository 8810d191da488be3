// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>

#pragma GCC visibility push(default)
namespace faultline {

/// Set to end long work soon; the work polls it. Null: never set.
using StopFlag = const std::atomic<bool>*;

[[nodiscard]] inline bool is_set(StopFlag stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

/// Thrown by work that has no partial answer when it is stopped.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// Throws Stopped.
inline void end_if_set(StopFlag stop) {
  if (is_set(stop)) throw Stopped();
}

}  // namespace faultline
#pragma GCC visibility pop
