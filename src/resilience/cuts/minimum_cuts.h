// SPDX-License-Identifier: Apache-2.0
// All fault sets of the smallest size that disconnects any pair.
#pragma once

#include "resilience/circuit/exact_count.h"
#include "resilience/cuts/tolerance.h"

namespace faultline::survival {

struct MinimumCuts {
  std::uint32_t size = 0;
  std::optional<BigInteger> count;             ///< absent if there are too many to count
  std::vector<std::vector<Component>> listed;  ///< at most as many as requested
};

/// `tolerance` of the subject, exact. Absent if no set of faults disconnects a pair.
[[nodiscard]] std::optional<MinimumCuts> minimum_cuts(const Subject& subject, const Evaluator& evaluator,
                                                      const Tolerance& tolerance, std::uint64_t max_listed);

}  // namespace faultline::survival
