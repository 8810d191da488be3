// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace faultline {

/// Where threads wait for each other every few microseconds: they spin for a moment, because sleeping and
/// waking take longer than that, then yield their processor.
class Barrier {
 public:
  /// Thrown in the threads that wait for one that has failed.
  struct Abandoned {};

  explicit Barrier(std::uint32_t threads) : threads_(threads) {}

  void wait() {
    wait([] {});
  }
  /// The same; the last to arrive calls `last()` before any thread continues.
  template <class Last>
  void wait(Last last) {
    if (threads_ == 1) return last();
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      last();
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (std::uint32_t looks = 0; round_.load(std::memory_order_acquire) == round; ++looks) {
      if (abandoned_.load(std::memory_order_relaxed)) throw Abandoned{};
      if (looks >= busy_looks) std::this_thread::yield();
    }
  }

  void abandon() { abandoned_.store(true, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t busy_looks = 2000;  ///< some microseconds

  std::uint32_t threads_;
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> round_{0};
  std::atomic<bool> abandoned_{false};
};

}  // namespace faultline
