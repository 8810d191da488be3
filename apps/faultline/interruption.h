// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM: work is asked to stop; if it does not within a second, the program ends anyway.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "faultline/base/stop.h"

namespace faultline::app {

/// One for the program, created before any other thread. A signal that the program was told to ignore stays
/// ignored.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  /// Set by the first signal. A second one ends the program at once.
  [[nodiscard]] StopFlag flag() const { return &stop_; }

  /// From now on only the caller prints. Does not return if the program is already being ended.
  void begin_output();

  /// Ends the program by the signal, if one was received: so a shell sees what it expects (130, 143).
  void end();

 private:
  friend class LastWords;
  void watch();
  void end_late(int signal);
  [[noreturn]] static void die_of(int signal);

  std::atomic<bool> stop_ = false;
  std::atomic<int> signal_ = 0;
  std::atomic_flag output_begun_;
  std::mutex mutex_;
  std::function<std::string()> last_words_;
  int signals_ = -1, ended_ = -1;  ///< descriptors: signals that came; the work has ended
  std::thread watcher_;
};

/// What to do, in another thread, if work has not ended in time: print what is finished, and return one line
/// that says what was kept. Valid for the lifetime of this object.
class LastWords {
 public:
  LastWords(Interruption& interruption, std::function<std::string()> words);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords();

 private:
  Interruption& interruption_;
};

}  // namespace faultline::app
