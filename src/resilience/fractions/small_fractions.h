// SPDX-License-Identifier: Apache-2.0
// Intolerable fractions that sampling does not see: counted exactly, or estimated.
#pragma once

#include <optional>

#include "resilience/circuit/exact_count.h"
#include "resilience/circuit/subject.h"
#include "resilience/fractions/derivations.h"

namespace faultline::survival {

/// Does nothing unless the method is exact or rare.
class SmallFractions {
 public:
  /// Throws Error("resilience.method") where the method cannot do it.
  SmallFractions(const Subject& subject, const ResilienceSpec& spec);

  /// Puts the exact or estimated intolerable fraction into a point that was not evaluated exhaustively.
  void refine(FaultPoint& point) const;

 private:
  void require(const Subject& subject);
  void count(const Subject& subject);
  void refine_intolerable(FaultPoint& point) const;

  const ResilienceSpec& spec_;
  std::optional<Circuit> requirements_;
  std::optional<Derivations> derivations_;
  std::vector<BigInteger> tolerable_sets_;  // by number of faults
};

}  // namespace faultline::survival
