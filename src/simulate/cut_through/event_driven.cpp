// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/event_driven_run.h"

namespace faultline::cut_through {

Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  Fabric fabric(relation, spec);
  if (spec.channel_load) fabric.output_flits.resize(fabric.outputs.size());
  const Run run{relation, pattern, spec, progress, log};
  switch (fabric.ports) {
    case 8:
      return run_with_8_ports(run, fabric);
#ifndef FAULTLINE_CHECKS  // see common_ports()
    case 16:
      return run_with_16_ports(run, fabric);
    case 32:
      return run_with_32_ports(run, fabric);
#endif
    default:
      return run_with_64_ports(run, fabric);
  }
}

}  // namespace faultline::cut_through
