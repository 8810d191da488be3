// SPDX-License-Identifier: Apache-2.0
// All fault sets of the smallest size that cuts any pair off.
#pragma once

#include "resilience/circuit/exact_count.h"
#include "resilience/cuts/tolerance.h"

namespace faultline::survival {

struct MinimumCuts {
  std::uint32_t size = 0;
  std::optional<BigInteger> count;             ///< nothing where they are too many to be counted
  std::vector<std::vector<Component>> listed;  ///< at most as many as were asked for
};

/// `tolerance` of the subject, exact. Nothing where no set of faults cuts a pair off.
[[nodiscard]] std::optional<MinimumCuts> minimum_cuts(const Subject& subject, const Evaluator& evaluator,
                                                      const Tolerance& tolerance, std::uint64_t most_listed);

}  // namespace faultline::survival
