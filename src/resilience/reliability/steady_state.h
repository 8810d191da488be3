// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/reliability/loss_sums.h"

namespace faultline::survival {

/// Sums over sets, and how the sets were chosen.
struct SummedSets {
  const LossSums& sums;
  Reliability::Method method;
  const FailureModel& model;
  // Of RareSets.
  double max_weight = 1;
  std::uint32_t known_faults = 0;
};

/// What the sums say. `always_lost`: a pair is disconnected without any fault.
[[nodiscard]] SteadyState steady_state(const SummedSets& summed, const FaultComponents& components,
                                       bool always_lost);

}  // namespace faultline::survival
