// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "faultline/base/progress.h"
#include "faultline/base/stop.h"

namespace faultline {

/// Calls work(i) for each i below `count`, on up to `threads` threads. Once `stop` is set no further call is
/// made, and those under way may throw Stopped. `progress` counts the finished ones, under the name `what`.
/// Returns how many were not finished.
template <class Work>
std::size_t work_until_stopped(std::size_t count, std::size_t threads, StopFlag stop, std::string_view what,
                               const Progress& progress, const Work& work) {
  std::atomic<std::size_t> done = 0;
  if (progress) progress(what, 0, count);
  tbb::task_arena arena(arena_threads(threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      if (is_set(stop)) return;
      try {
        work(i);
      } catch (const Stopped&) {
        return;
      }
      if (const std::uint64_t now = ++done; progress) progress(what, now, count);
    });
  });
  return count - done;
}

}  // namespace faultline
