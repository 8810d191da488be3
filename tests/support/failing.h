// SPDX-License-Identifier: Apache-2.0
// The questions that resilience is asked of a network: what fails, and what its routing must do.
#pragma once

#include <string>
#include <vector>

#include "faultline/resilience/resilience.h"

namespace faultline {

inline constexpr FaultUnits all_units[] = {FaultUnit::channel,
                                           FaultUnit::link,
                                           FaultUnit::switch_,
                                           FaultUnit::terminal,
                                           FaultUnit::link | FaultUnit::switch_,
                                           FaultUnit::channel | FaultUnit::link,
                                           FaultUnit::channel | FaultUnit::terminal};
inline constexpr FaultScope all_scopes[] = {FaultScope::network, FaultScope::terminal, FaultScope::all};

struct Failing {
  FaultUnits unit;
  FaultScope scope;
  Semantics semantics = Semantics::possible;

  [[nodiscard]] std::string text() const {
    return name(unit) + " " + std::string(name(scope)) +
           (semantics == Semantics::possible ? "" : " guaranteed");
  }
};

/// Paths that are computed anew are asked for possible ones only.
inline std::vector<Failing> all_failing(Survival survival) {
  std::vector<Failing> all;
  for (const FaultUnits unit : all_units)
    for (const FaultScope scope : all_scopes) {
      all.push_back({unit, scope});
      if (survival == Survival::fixed_paths) all.push_back({unit, scope, Semantics::guaranteed});
    }
  return all;
}

}  // namespace faultline
