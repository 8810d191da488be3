// SPDX-License-Identifier: Apache-2.0
// The questions that resilience is asked of a network: what fails, and what its routing must do.
#pragma once

#include <string>
#include <vector>

#include "faultline/resilience/resilience.h"
#include "support/effort.h"

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
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;

  [[nodiscard]] std::string text() const {
    return to_string(unit) + " " + std::string(to_string(scope)) + " " + to_string(knowledge) + " " +
           std::string(to_string(source));
  }
};

/// Recomputed paths are tested only for switches that know all.
inline std::vector<Failing> all_failing(Survival survival) {
  std::vector<Failing> all;
  for (const FaultUnits unit : all_units)
    for (const FaultScope scope : all_scopes) {
      all.push_back({unit, scope});
      if (survival != Survival::fixed_paths) continue;
      all.push_back({unit, scope, Knowledge::neighbours()});
      if (unit != FaultUnits(FaultUnit::channel)) continue;
      all.push_back({unit, scope, Knowledge::none()});
      all.push_back({unit, scope, Knowledge::within(2)});
      all.push_back({unit, scope, Knowledge::none(), SourceRole::plan});
      all.push_back({unit, scope, Knowledge::neighbours(), SourceRole::plan});
    }
  return thinned(std::move(all), 5);
}

}  // namespace faultline
