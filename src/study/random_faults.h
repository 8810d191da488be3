// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "faultline/fault/components.h"
#include "faultline/fault/schedule.h"
#include "faultline/routing/kind.h"

namespace faultline {

/// The fault sets that `simulate` and `verify` run with.
struct FaultRequest {
  std::string faults = "0";  ///< a count, or the path of a file with one component name a line
  std::string unit = "channel";
  std::string scope = "network";
  bool tolerated_only = false;  ///< redraw until every pair is served, or likely to be
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
  std::uint64_t seed = 1;
  std::string field;                            ///< for errors: "simulate"
  std::shared_ptr<InputFiles> files = nullptr;  ///< that `faults` is read through
};

struct ChosenFaults {
  FaultSet set;
  std::vector<std::string> names;
};

/// Throws Error when the count is above the number of components, a name is unknown, or no tolerated set of
/// that size is found in 10,000 draws.
[[nodiscard]] ChosenFaults choose_faults(const TopologyPtr& topology, const Description& routing,
                                         const FaultRequest& request);

/// Sources that learn are told of what switches see: for them, what is dead has failed in the first cycle.
void add_from_the_start(const Topology& topology, const FaultSet& dead, FaultSchedule& outages);

}  // namespace faultline
