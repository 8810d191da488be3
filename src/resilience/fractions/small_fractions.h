// SPDX-License-Identifier: Apache-2.0
// Intolerable fractions too small for sampling: counted exactly, or estimated.
#pragma once

#include <optional>

#include "resilience/circuit/exact_count.h"
#include "resilience/circuit/subject.h"
#include "resilience/fractions/rare_event.h"

namespace faultline::survival {

/// Does nothing unless the method is exact or rare.
class SmallFractions {
 public:
  /// Throws Error("resilience.exact" or "rare") if the method supports none of the numbers of faults.
  SmallFractions(const Subject& subject, const FractionsSpec& spec, const StudyConditions& conditions);

  /// Puts the exact or estimated intolerable fraction into a point that was not evaluated exhaustively.
  void refine(FaultPoint& point) const;

 private:
  void require(const Subject& subject);
  void count(const Subject& subject);
  void refine_exactly(FaultPoint& point) const;
  void refine_rare(FaultPoint& point) const;

  const FractionsSpec& spec_;
  const StudyConditions& conditions_;
  std::optional<Circuit> requirements_;
  std::uint32_t max_faults_ = ~std::uint32_t{0};  // for which the requirements are exact
  std::optional<RareEvents> rare_;
  std::vector<BigInteger> tolerable_sets_;  // by number of faults, as far as counted
  std::string not_counted_;                 // why no more were counted
};

}  // namespace faultline::survival
