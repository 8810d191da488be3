// SPDX-License-Identifier: Apache-2.0
// How many sets of faults every pair survives: exactly, by number of faults.
#pragma once

#include <optional>
#include <vector>

#include "resilience/circuit/binomial.h"
#include "resilience/circuit/circuit.h"

namespace faultline::survival {

/// The number of tolerable sets of 0, 1, … most_faults components, where all outputs of `requirements` must
/// be true. Splits into parts that share no component, takes what reads each of its components once, and
/// that nothing else reads a piece of, as one component, and branches on one after the other, equal parts
/// once; what cannot fail within the budget is not looked into. Nothing where that would rewrite more than
/// `most_steps` operands (the default is a minute or so).
[[nodiscard]] std::optional<std::vector<BigInteger>> count_tolerable_sets(
    const Circuit& requirements, std::uint32_t most_faults, std::size_t most_steps = 100'000'000);

}  // namespace faultline::survival
