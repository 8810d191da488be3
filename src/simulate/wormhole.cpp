// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/engine.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole {
namespace {

/// In smaller networks threads would wait for each other most of the time.
constexpr std::size_t fewest_switches_to_share = 1024;

SimulationSpec in_one_thread(SimulationSpec spec) {
  spec.threads = 1;
  return spec;
}

}  // namespace

Outcome run(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
            const Progress& progress, std::vector<Delivery>* log) {
  if (spec.threads > 1 && relation.topology().switch_count() < fewest_switches_to_share)
    return run(relation, pattern, in_one_thread(spec), progress, log);
  const std::optional<std::string> obstacle = planes::obstacle(relation, spec);
  if (!obstacle) {
    Outcome outcome = planes::run(planes::chosen_kernel(), relation, pattern, spec, progress, log);
    outcome.result.engine = "wormhole, vector lanes";
    return outcome;
  }
  Outcome outcome = run_scalar(relation, pattern, spec, progress, log);
  outcome.result.engine = "wormhole, plain (" + *obstacle + ")";
  return outcome;
}

}  // namespace faultline::wormhole
