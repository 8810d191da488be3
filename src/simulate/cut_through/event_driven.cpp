// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/event_driven_run.h"

namespace faultline::cut_through {

Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  NetworkState network(relation, spec);
  if (spec.measurement.channel_load) network.output_flits.resize(network.outputs.size());
  const Run run{relation, pattern, spec, progress, log};
  switch (network.ports) {
    case 8:
      return run_with_8_ports(run, network);
#ifndef FAULTLINE_CHECKS  // see common_ports()
    case 16:
      return run_with_16_ports(run, network);
    case 32:
      return run_with_32_ports(run, network);
#endif
    default:
      return run_with_64_ports(run, network);
  }
}

}  // namespace faultline::cut_through
