// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/base/interval.h"
#include "resilience/fractions/derivations.h"

namespace faultline::survival {

struct RareEstimate {
  double fraction = 0;        ///< of the fault sets that are intolerable
  Interval interval;          ///< 95 %
  double relative_error = 0;  ///< standard error / fraction
};

/// Picks allowed for a derivation when sets of `faults` are estimated: some more, because a component may be
/// picked twice.
[[nodiscard]] std::uint32_t largest_derivation(std::uint32_t faults);

/// Karp and Luby's coverage estimator (J. Algorithms 1989) with derivations for the clauses: draw a
/// derivation, fill up with random faults, divide by the number of derivations that the set contains.
/// Unbiased, also where derivations pick a component twice, as long as each intolerable set contains one
/// within the limit. A function of the seed alone.
[[nodiscard]] RareEstimate estimate_rare(const Derivations& derivations, std::uint32_t faults,
                                         std::uint64_t samples, std::uint64_t seed, std::uint32_t threads);

}  // namespace faultline::survival
