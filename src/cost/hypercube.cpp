// SPDX-License-Identifier: Apache-2.0
#include "faultline/cost/hypercube.h"

#include <algorithm>
#include <cmath>

namespace faultline {

HypercubeComparison compare_with_hypercube(const Topology& topology, const TopologyFigures& figures) {
  const auto terminals = static_cast<double>(figures.terminals);
  const double dimensions = std::log2(terminals);
  HypercubeComparison result{.dimensions = dimensions,
                             .switches = terminals,
                             .links = terminals * dimensions / 2 + terminals,
                             .switch_ports = terminals * (dimensions + 1),
                             .average_distance = dimensions / 2 + 2 - 2 / terminals};
  for (const SwitchId at : topology.switches())
    result.own_switch_ports += std::max(topology.inputs(at).size(), topology.outputs(at).size());
  result.cost_performance = result.switch_ports * result.average_distance /
                            (static_cast<double>(result.own_switch_ports) * figures.average_distance);
  return result;
}

}  // namespace faultline
