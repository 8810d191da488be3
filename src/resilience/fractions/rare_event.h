// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "faultline/base/interval.h"
#include "faultline/base/stop.h"
#include "resilience/fractions/derivations.h"
#include "resilience/fractions/distinct_picks.h"

namespace faultline::survival {

struct RareEstimate {
  double fraction = 0;        ///< of the fault sets that are intolerable
  Interval interval;          ///< missed on either side with a probability of at most RareEvents::tail
  double relative_error = 0;  ///< standard error / fraction
};

/// Picks allowed for a derivation when sets of `faults` are estimated: some more, because a component may be
/// picked twice.
[[nodiscard]] std::uint32_t largest_derivation(std::uint32_t faults);

/// Karp and Luby's coverage estimator (J. Algorithms 1989) with derivations for the clauses: draw a
/// derivation d with a weight w(d), fill up with random faults to a set S, and take
///   X = T P(d) / (w(d) D(S)),
/// T the sum of all weights, P(d) the probability that a set of `faults` faults contains the components of d
/// (0 where they are more than the faults), D(S) the number of derivations in S. Its mean is the fraction of
/// intolerable sets, also where derivations pick a component twice, as long as each intolerable set contains
/// a derivation of `largest_derivation` picks; where that is not certain, the interval ends at 1. Weights are
/// w(d) = P(the fewest components that a derivation of the output and size of d picks), so that P(d)
/// <= w(d) and 0 <= X <= T: T bounds the fraction itself (it is the union bound), and the interval is that of
/// the mean of values within known bounds (bounded_mean.h), which needs no hit to be right. Derivations that
/// pick more components than there are faults are not drawn. A function of the seed alone.
class RareEvents {
 public:
  static constexpr double tail = 0.02;
  /// Each node of the circuit takes memory in proportion to the number of faults, and time to its square.
  static constexpr std::uint32_t most_faults = 64;
  /// For at most `faults` faults.
  RareEvents(const Circuit& requirements, std::uint32_t faults);

  /// Nothing if `stop` is set meanwhile.
  [[nodiscard]] std::optional<RareEstimate> estimate(std::uint32_t faults, std::uint64_t samples,
                                                     std::uint64_t seed, std::uint32_t threads,
                                                     StopFlag stop = nullptr) const;

 private:
  Derivations derivations_;
  DistinctPicks distinct_;
};

}  // namespace faultline::survival
