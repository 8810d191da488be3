// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "base/binomial.h"
#include "resilience/evaluate/evaluator.h"
#include "resilience/evaluate/fault_sets.h"

namespace faultline::survival {

/// visit(block, verdicts) for all sets of `faults` of `components` components, a block at a time in the order
/// of list_fault_sets, until it returns false; false then. There must be fewer than 2^64 sets.
template <class Visit>
bool for_every_set(Evaluator& evaluator, std::uint32_t components, std::uint32_t faults, Visit visit) {
  const auto sets = static_cast<std::uint64_t>(binomial(components, faults));
  FaultBlock block{.faults = faults, .lanes = 0, .members = {}};
  Verdicts verdicts;
  for (std::uint64_t first = 0; first < sets; first += block.lanes) {
    block.lanes = static_cast<std::uint32_t>(std::min<std::uint64_t>(evaluator.lanes(), sets - first));
    list_fault_sets(block, components, first);
    evaluator.evaluate(block, verdicts);
    if (!visit(std::as_const(block), std::as_const(verdicts))) return false;
  }
  return true;
}

}  // namespace faultline::survival
