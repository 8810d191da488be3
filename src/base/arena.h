// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/info.h>

#include <algorithm>
#include <cstddef>

namespace faultline {

/// How many threads a tbb::task_arena gets where `threads` are asked for: TBB has no more workers than the
/// machine has processors, and writes a warning to standard error where more are asked for.
[[nodiscard]] inline int arena_threads(std::size_t threads) {
  return static_cast<int>(
      std::clamp<std::size_t>(threads, 1, static_cast<std::size_t>(tbb::info::default_concurrency())));
}

}  // namespace faultline
