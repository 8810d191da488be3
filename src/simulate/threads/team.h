// SPDX-License-Identifier: Apache-2.0
// The threads of a run whose network is divided into parts: a leader, and helpers that live as long as the
// run.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cpu_time.h"
#include "faultline/simulate/clock.h"
#include "simulate/threads/barrier.h"

namespace faultline {

class Team {
 public:
  /// One thread per part, or this one for all where no more threads are available.
  explicit Team(std::uint32_t parts) : parts_(parts), barrier_(parts) {}

  /// Calls `lead()` in this thread, which may call run_until() any number of times. `work(part, end)` runs a
  /// part, other than 0, up to cycle `end`. Rethrows the exception of the first thread that failed.
  template <class Lead, class Work>
  void run(Lead lead, Work work) {
    {
      std::vector<std::jthread> helpers;
      guarded([&] {
        has_helpers_ = start(helpers, work);
        lead();
      });
      send_helpers(over);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  /// In run(): whether there is a thread for each part.
  [[nodiscard]] bool has_helpers() const { return has_helpers_; }

  /// All parts at the same time, with helpers; `own()` runs part 0.
  template <class Own>
  void run_until(Time end, Own own) {
    send_helpers(end);
    own();
    barrier_.wait();
  }

  /// The barrier at which the parts meet.
  [[nodiscard]] Barrier& barrier() { return barrier_; }
  /// Processor time of the helpers, once run() is over.
  [[nodiscard]] double helper_seconds() const { return helper_seconds_; }

 private:
  static constexpr Time over = -1;

  /// All of them, or none.
  template <class Work>
  bool start(std::vector<std::jthread>& helpers, const Work& work) {
    try {
      for (std::uint32_t part = 1; part < parts_; ++part)
        helpers.emplace_back([this, work, part] { help(part, work); });
    } catch (const std::system_error&) {
      send_helpers(over);
      helpers.clear();
    }
    return !helpers.empty();
  }

  template <class Work>
  void help(std::uint32_t part, const Work& work) {
    guarded([&] {
      for (std::uint32_t seen = 0;;) {
        orders_.wait(seen, std::memory_order_acquire);
        seen = orders_.load(std::memory_order_acquire);
        const Time end = end_.load(std::memory_order_relaxed);
        if (end == over) return;
        work(part, end);
        barrier_.wait();
      }
    });
    const std::lock_guard lock(mutex_);
    helper_seconds_ += thread_cpu_seconds();
  }

  void send_helpers(Time end) {
    end_.store(end, std::memory_order_relaxed);
    orders_.fetch_add(1, std::memory_order_release);
    orders_.notify_all();
  }

  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (const Barrier::Abandoned&) {
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      barrier_.abandon();
    }
  }

  std::uint32_t parts_;
  bool has_helpers_ = false;
  Barrier barrier_;
  std::atomic<Time> end_{0};  ///< to which helpers run; atomic, because after a failure some may read it late
  std::atomic<std::uint32_t> orders_{0};  ///< how many times end_ has been given to the helpers
  std::mutex mutex_;                      ///< of what follows
  std::exception_ptr failure_;
  double helper_seconds_ = 0;
};

}  // namespace faultline
