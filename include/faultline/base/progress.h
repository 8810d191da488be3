// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

/// Called from time to time by long work, possibly from several threads: `done` of `total` (0: not
/// known) of `what`, which changes from one stage of the work to the next; 0 done begins a stage.
using Progress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

/// How long the rest of a stage takes, if it goes on as the latest half of what is done: the largest parts
/// often come first.
class TimeToGo {
 public:
  /// `seconds` since the stage began; `done` as for Progress. Absent while fewer than five parts (of a few:
  /// half of them) or a twentieth of all are done, which says little, and where the total is not known.
  [[nodiscard]] std::optional<double> after(std::uint64_t done, std::uint64_t total, double seconds) {
    if (done / 2 >= middle_.done) {
      from_ = middle_;
      middle_ = {done, seconds};
    }
    if (total == 0) return std::nullopt;
    if (done >= total) return 0.0;
    if (done < std::min<std::uint64_t>(5, (total + 1) / 2) || done < total / 20 || done <= from_.done)
      return std::nullopt;
    return (seconds - from_.seconds) * static_cast<double>(total - done) /
           static_cast<double>(done - from_.done);
  }

 private:
  struct Point {
    std::uint64_t done = 0;
    double seconds = 0;
  };
  Point from_, middle_;  ///< at most a half is done at the first
};

}  // namespace faultline
#pragma GCC visibility pop
