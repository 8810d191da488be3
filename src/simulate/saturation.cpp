// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/saturation.h"

#include <algorithm>

#include "faultline/simulate/packet_sizes.h"

namespace faultline {
namespace {

/// Flits/cycle/terminal that the injection channels take, and that a source can generate.
double most_load(const Topology& topology, const SimulationSpec& spec) {
  const double channels = static_cast<double>(topology.injection_channel_count()) /
                          static_cast<double>(topology.terminal_count());
  return std::min(channels, mean_flits(spec.injection));
}

}  // namespace

SaturationSearch find_saturation(const RoutingRelation& relation, const TrafficPattern& pattern,
                                 SimulationSpec spec, double precision, const Progress& progress) {
  SaturationSearch search;
  const auto saturates = [&](double load) {
    spec.injection.load = load;
    search.runs.push_back({load, simulate(relation, pattern, spec, progress)});
    const SimulationResult& result = search.runs.back().result;
    return result.saturated || result.deadlock;
  };
  const double most = most_load(relation.topology(), spec);
  if (!saturates(most)) {
    search.sustained_load = most;
    return search;
  }
  search.saturated_load = most;
  // No network is searched below a ten-thousandth of what its terminals can send: it then counts as
  // sustaining nothing.
  while (*search.saturated_load - search.sustained_load > precision * *search.saturated_load &&
         *search.saturated_load > 1e-4 * most) {
    const double middle = (search.sustained_load + *search.saturated_load) / 2;
    if (saturates(middle)) {
      search.saturated_load = middle;
      search.decisive_run = search.runs.size() - 1;
    } else {
      search.sustained_load = middle;
    }
  }
  return search;
}

}  // namespace faultline
