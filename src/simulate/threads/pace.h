// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "base/cpu_time.h"
#include "faultline/simulate/clock.h"

namespace faultline {

/// Whether the next cycles are run by all threads or by one. On a busy machine threads that wait for one that
/// has lost its processor are slower than a single thread: that is so if this thread lost its own, or if they
/// took longer than the CPU time of a single thread. The slower way is tried again ever more rarely while it
/// stays slower.
class Pace {
 public:
  explicit Pace(bool has_helpers) : has_helpers_(has_helpers), together_(false) {}

  [[nodiscard]] bool together() const { return together_; }

  /// Cycles for which to do so: a trial is short, because it may cost many times the usual time.
  [[nodiscard]] Time cycles(Time left, Time window) const {
    if (!has_helpers_ || until_try_ != 0) return left;
    const double enough = std::min(try_seconds / alone_cost_, static_cast<double>(left));
    return std::min(left, std::max(2 * window, static_cast<Time>(enough)));
  }

  void starts() {
    if (!has_helpers_) return;
    started_ = Clock::now();
    seconds_ = thread_cpu_seconds();
  }
  /// `cycles` have been run as together() says.
  void ran(double cycles) {
    if (!has_helpers_ || cycles <= 0) return;
    const double wall = std::chrono::duration<double>(Clock::now() - started_).count();
    const double seconds = thread_cpu_seconds() - seconds_;
    if (together_)
      together_cost_ = (seconds < undisturbed * wall ? disturbed : wall) / cycles;
    else
      alone_cost_ = seconds / cycles;
    const bool better_together = together_cost_ <= alone_cost_;
    const bool tried = until_try_ == 0;
    if (tried) until_try_ = patience_ = together_ == better_together ? shortest : std::min(2 * patience_, 64);
    --until_try_;
    together_ = better_together == (until_try_ != 0);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double undisturbed = 0.85, disturbed = 1e100;
  static constexpr double try_seconds = 2e-3;
  static constexpr int shortest = 8;  ///< bins

  bool has_helpers_, together_;
  int patience_ = shortest, until_try_ = 1;  ///< bins until the slower way is tried; 0: it is now
  double together_cost_ = disturbed, alone_cost_ = disturbed;
  Clock::time_point started_;
  double seconds_ = 0;
};

}  // namespace faultline
