// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/sampler.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "faultline/base/error.h"
#include "faultline/base/random.h"

namespace faultline {

std::vector<std::uint32_t> FaultSampler::draw(std::uint32_t faults, std::uint64_t index) const {
  if (faults > components_)
    throw Error("faults", std::to_string(faults),
                "must be at most the number of components, " + std::to_string(components_));
  // Floyd's algorithm (Bentley, CACM 1987): one draw a fault, whatever the number of components.
  RandomStream random(seed_, index);
  std::unordered_set<std::uint32_t> chosen;
  for (std::uint32_t last = components_ - faults; last < components_; ++last)
    if (!chosen.insert(random.next_below(last + 1)).second) chosen.insert(last);
  std::vector<std::uint32_t> sorted(chosen.begin(), chosen.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace faultline
