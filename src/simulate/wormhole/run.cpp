// SPDX-License-Identifier: Apache-2.0
#include "simulate/lanes/engine.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole {

Outcome run(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
            const Progress& progress, std::vector<Delivery>* log) {
  if (const auto shape = lanes::shape_of(relation, spec)) {
    if (auto outcome =
            lanes::run(*lanes::kernels().front(), *shape, relation, pattern, spec, progress, log)) {
      outcome->result.engine = "wormhole, vector lanes";
      return *outcome;
    }
    if (log != nullptr) log->clear();
  }
  Outcome outcome = run_scalar(relation, pattern, spec, progress, log);
  outcome.result.engine = "wormhole, plain";
  return outcome;
}

}  // namespace faultline::wormhole
