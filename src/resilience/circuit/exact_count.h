// SPDX-License-Identifier: Apache-2.0
// How many sets of faults every pair survives: exactly, by number of faults.
#pragma once

#include <optional>
#include <vector>

#include "base/binomial.h"
#include "faultline/base/stop.h"
#include "resilience/circuit/circuit.h"

namespace faultline::survival {

/// How much work may go into counting; what was used is subtracted.
struct CountBudget {
  std::size_t steps =
      2'000'000'000;        ///< operands rewritten or compared; the default lasts for 10 to 80 seconds
  StopFlag stop = nullptr;  ///< once set, nothing more is counted
};

/// The number of tolerable sets of 0, 1, … most_faults components, where all outputs of `requirements` must
/// be true. Splits into parts that share no component, takes what reads each of its components once, and
/// that nothing else reads a piece of, as one component (reduction.h), and branches on one after the other;
/// parts that are equal but for the names of their components are counted once (canonical_forms.h), and what
/// cannot fail within the number of faults is not examined. Nothing where that would take more than `budget`.
[[nodiscard]] std::optional<std::vector<BigInteger>> count_tolerable_sets(const Circuit& requirements,
                                                                          std::uint32_t most_faults,
                                                                          CountBudget& budget);
[[nodiscard]] std::optional<std::vector<BigInteger>> count_tolerable_sets(const Circuit& requirements,
                                                                          std::uint32_t most_faults,
                                                                          CountBudget&& budget = {});

}  // namespace faultline::survival
