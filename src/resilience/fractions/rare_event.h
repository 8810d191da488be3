// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "faultline/base/interval.h"
#include "faultline/base/stop.h"
#include "resilience/fractions/coverage.h"

namespace faultline::survival {

struct RareEstimate {
  double fraction = 0;        ///< of the fault sets that are intolerable
  Interval interval;          ///< missed on either side with a probability of at most RareEvents::tail
  double relative_error = 0;  ///< standard error / fraction
};

/// The fraction of intolerable sets of a number of faults by Coverage: P(d) is the fraction of such sets that
/// contain the components of d, 0 where they are more than the faults. Derivations that pick more components
/// than there are faults are not drawn. Values are within known bounds, so that the interval (bounded_mean.h)
/// needs no hit to be right; it ends at 1 where not every intolerable set contains a derivation. A function
/// of the seed alone.
class RareEvents {
 public:
  static constexpr double tail = 0.02;
  /// Each node of the circuit takes memory in proportion to the number of faults, and time to its square.
  static constexpr std::uint32_t max_faults = 64;
  /// For at most `faults` faults.
  RareEvents(const Circuit& requirements, std::uint32_t faults) : coverage_(requirements, faults) {}

  /// Nothing if `stop` is set meanwhile.
  [[nodiscard]] std::optional<RareEstimate> estimate(std::uint32_t faults, std::uint64_t samples,
                                                     std::uint64_t seed, std::uint32_t threads,
                                                     StopFlag stop = nullptr) const;

 private:
  Coverage coverage_;
};

}  // namespace faultline::survival
