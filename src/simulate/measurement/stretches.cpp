// SPDX-License-Identifier: Apache-2.0
#include "simulate/measurement/stretches.h"

#include <algorithm>
#include <cmath>

namespace faultline {

std::vector<Time> times_of_changes(const FaultSchedule& outages) {
  std::vector<Time> times;
  for (const Outage& outage : outages)
    for (const std::uint64_t at : {outage.from, outage.until})
      if (at != 0 && at < static_cast<std::uint64_t>(max_cycles)) times.push_back(static_cast<Time>(at));
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  return times;
}

Stretch unchanged_stretch(std::size_t bins, double start, double width, const std::vector<Time>& changes) {
  const std::size_t enough = std::max<std::size_t>(1, bins / 8);
  const auto position = [&](Time change) {
    return std::clamp((static_cast<double>(change) - start) / width, 0.0, static_cast<double>(bins));
  };
  std::size_t first = 0;
  for (const Time change : changes) {
    const Stretch before{first, std::max(first, static_cast<std::size_t>(position(change)))};
    if (before.size() >= enough) return before;
    first = static_cast<std::size_t>(std::ceil(position(change)));
  }
  if (bins - first >= enough) return {first, bins};
  return {0, changes.empty() ? bins : static_cast<std::size_t>(position(changes.front()))};
}

}  // namespace faultline
