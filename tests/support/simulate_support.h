// SPDX-License-Identifier: Apache-2.0
// A network with its routing and traffic, by their compact names.
#pragma once

#include <string_view>

#include "faultline/routing/kind.h"
#include "faultline/selection/selection.h"
#include "faultline/simulate/spec.h"
#include "faultline/topology/kind.h"
#include "faultline/traffic/pattern.h"

namespace faultline::testing_support {

inline SelectionRule selection(std::string_view name) {
  return selection_rule(parse_compact("selection", name));
}

struct Network {
  TopologyPtr topology;
  RelationPtr relation;
  PatternPtr pattern;
};

inline Network network(TopologyPtr topology, const FaultSet& known, std::string_view routing = "",
                       std::string_view traffic = "uniform", std::uint64_t seed = 1) {
  Description description =
      routing.empty() ? Description{"routing", "", {}, {}} : parse_compact("routing", routing);
  RelationPtr relation = build_relation(topology, known, description);
  return {topology, relation, build_pattern(*topology, seed, parse_compact("traffic", traffic))};
}

inline Network network(std::string_view topology, std::string_view routing = "",
                       std::string_view traffic = "uniform") {
  TopologyPtr built = build_topology(parse_compact("topology", topology));
  const FaultSet none(*built);
  return network(std::move(built), none, routing, traffic);
}

inline SimulationSpec small_spec(double load, std::uint32_t flits) {
  SimulationSpec spec;
  spec.injection.load = load;
  spec.injection.packet_flits = flits;
  return spec;
}

}  // namespace faultline::testing_support
