// SPDX-License-Identifier: Apache-2.0
// Likely pairs: they arrive with probability one but without a bound on hops, so they count neither as
// connected nor as lost.
#pragma once

#include <optional>

#include "resilience/circuit/subject.h"

namespace faultline::survival {

class LikelyPairs {
 public:
  /// Of a relation over fixed paths, with the knowledge and the source's role of `subject`. O(states).
  LikelyPairs(const Subject& subject, const FractionsSpec& spec, const StudyConditions& conditions);

  /// The mean fraction of ordered pairs of the class `likely` (pair_classes.h) over sets of `faults`
  /// components: over all sets if there are few, else over drawn ones, at most `sets` of them and a few
  /// million states in total. Absent if no packet can visit a state twice (then no pair is likely), or if
  /// stopped.
  [[nodiscard]] std::optional<LikelyPairsFigure> measure(std::uint32_t faults, std::uint64_t sets) const;

 private:
  [[nodiscard]] double fraction(const FaultSet& dead) const;

  const Subject& subject_;
  const FractionsSpec& spec_;
  const StudyConditions& conditions_;
  bool has_circles_ = false;
  std::uint64_t states_ = 0;  ///< of all destinations, with nothing dead
};

}  // namespace faultline::survival
