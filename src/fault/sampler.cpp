// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/sampler.h"

#include <algorithm>
#include <string>

#include "faultline/base/error.h"
#include "faultline/base/random.h"

namespace faultline {

std::vector<std::uint32_t> FaultSampler::draw(std::uint32_t faults, std::uint64_t index) const {
  if (faults > components_)
    throw Error("faults", std::to_string(faults),
                "must be at most the number of components, " + std::to_string(components_));
  // Floyd's algorithm (Bentley, CACM 1987): one draw a fault, whatever the number of components.
  RandomStream random(seed_, index);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t last = components_ - faults; last < components_; ++last) {
    const std::uint32_t candidate = random.next_below(last + 1);
    const auto position = std::ranges::lower_bound(chosen, candidate);
    if (position == chosen.end() || *position != candidate)
      chosen.insert(position, candidate);
    else
      chosen.push_back(last);
  }
  return chosen;
}

}  // namespace faultline
