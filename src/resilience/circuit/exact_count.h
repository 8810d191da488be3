// SPDX-License-Identifier: Apache-2.0
// The exact number of fault sets that every pair survives, by number of faults.
#pragma once

#include <optional>
#include <vector>

#include "base/binomial.h"
#include "faultline/base/stop.h"
#include "resilience/circuit/circuit.h"

namespace faultline::survival {

/// A limit for the work of counting; what was used is subtracted.
struct CountBudget {
  std::size_t steps = 2'000'000'000;  ///< operands rewritten or compared, words multiplied; the default takes
                                      ///< 10 to 80 seconds
  StopFlag stop = nullptr;            ///< once set, nothing more is counted
};

/// The number of tolerable sets of 0, 1, … max_faults components, in which all outputs of `requirements` are
/// true. Splits the circuit into parts that share no component; merges into one component any part that reads
/// each of its components once and is read as a whole (reduction.h); and branches on one component after the
/// other. Parts that are equal up to the names of their components are counted once (canonical_forms.h), and
/// parts that cannot fail within the number of faults are not examined. Absent if that would take more than
/// `budget`.
[[nodiscard]] std::optional<std::vector<BigInteger>> count_tolerable_sets(const Circuit& requirements,
                                                                          std::uint32_t max_faults,
                                                                          CountBudget& budget);
[[nodiscard]] std::optional<std::vector<BigInteger>> count_tolerable_sets(const Circuit& requirements,
                                                                          std::uint32_t max_faults,
                                                                          CountBudget&& budget = {});

}  // namespace faultline::survival
