// SPDX-License-Identifier: Apache-2.0
// The test matrix: every sample of every topology with every routing that fits it.
#pragma once

#include <string>
#include <vector>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"

namespace faultline {

struct SampleNetwork {
  std::string name;
  RelationPtr relation;
  Survival survival;
};

inline SampleNetwork make_network(const Description& topology_text, const Description& routing_text) {
  const TopologyPtr topology = build_topology(topology_text);
  Description routing = routing_text;
  const RoutingKind& kind = find_routing(*topology, routing);
  return {topology->name() + " " + routing.kind, build_relation(topology, FaultSet(*topology), routing),
          kind.survival};
}

/// `routing` empty: the topology's own.
inline SampleNetwork make_network(const std::string& topology, const std::string& routing = {}) {
  return make_network(parse_compact("topology", topology),
                      {.path = "routing", .kind = routing, .fields = {}, .place = {}});
}

inline std::vector<SampleNetwork> make_sample_networks() {
  std::vector<SampleNetwork> networks;
  for (const TopologyKind* kind : topology_kinds())
    for (Description sample : kind->info.samples()) {
      sample.kind = kind->info.name;
      for (const RoutingKind* routing : routing_kinds()) {
        if (routing->survival == Survival::plans) continue;  // no circuit: see plan_search_test.cpp
        try {
          networks.push_back(make_network(
              sample,
              {.path = "routing", .kind = std::string(routing->info.name), .fields = {}, .place = {}}));
        } catch (const Error&) {  // the routing does not fit the topology
        }
      }
    }
  return networks;
}

inline const std::vector<SampleNetwork>& sample_networks() {
  static const std::vector<SampleNetwork> networks = make_sample_networks();
  return networks;
}

}  // namespace faultline
