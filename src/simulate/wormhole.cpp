// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/engine.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole {

Outcome run(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
            const Progress& progress, std::vector<Delivery>* log) {
  const std::optional<std::string> obstacle = planes::obstacle(relation, spec);
  if (!obstacle) {
    Outcome outcome = planes::run(*planes::kernels().front(), relation, pattern, spec, progress, log);
    outcome.result.engine = "wormhole, vector lanes";
    return outcome;
  }
  Outcome outcome = run_scalar(relation, pattern, spec, progress, log);
  outcome.result.engine = "wormhole, plain (" + *obstacle + ")";
  return outcome;
}

}  // namespace faultline::wormhole
