// SPDX-License-Identifier: Apache-2.0
// Where in a run whose channels fail and are repaired the warm-up is looked for.
#pragma once

#include <cstddef>
#include <vector>

#include "faultline/fault/schedule.h"
#include "faultline/simulate/clock.h"

namespace faultline {

/// When channels fail or are repaired, in order. Not in cycle 0, in which dead channels of the whole run go
/// down where sources are notified of them.
std::vector<Time> times_of_changes(const FaultSchedule& outages);

/// Bins of a run, from `first` to before `end`.
struct Stretch {
  std::size_t first = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - first; }
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// Between two changes, after which a network that had settled would be taken for one that had not: the first
/// such stretch of at least an eighth of the bins; if there is none, what precedes the first change. Bin i
/// begins at start + i * width.
Stretch unchanged_stretch(std::size_t bins, double start, double width, const std::vector<Time>& changes);

}  // namespace faultline
