// SPDX-License-Identifier: Apache-2.0
// The test matrix: every sample of every topology with every routing that fits it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "support/effort.h"
#include "support/samples.h"

namespace faultline {

/// The relation that `build` returns; null if the routing does not fit the topology. Any other Error is a
/// defect of one of the two, and is thrown on.
template <class Build>
[[nodiscard]] RelationPtr if_it_fits(const Build& build) {
  try {
    return build();
  } catch (const Error& error) {
    if (error.parts().field == "routing" && error.parts().allowed.starts_with("needs ")) return nullptr;
    throw;
  }
}

struct SampleNetwork {
  std::string name;
  RelationPtr relation;
  Survival survival;
};

inline SampleNetwork make_network(const Resolved<TopologyKind>& described,
                                  const Resolved<RoutingKind>& asked) {
  const TopologyPtr topology = build_topology(described);
  const Resolved<RoutingKind> routing = routing_or_default(asked, *topology);
  return {topology->name() + " " + std::string(routing.kind().info.name),
          build_relation(topology, FaultSet(*topology), routing), routing.kind().survival};
}

/// `routing` empty: the topology's own.
inline SampleNetwork make_network(const std::string& topology, const std::string& routing = {}) {
  return make_network(parse_compact("topology", topology),
                      Description{.path = "routing", .kind = routing, .fields = {}, .location = {}});
}

/// The sample with the files that it holds written to disk, so that its compact description suffices.
inline Description with_files_on_disk(Description sample, const KindInfo& kind) {
  if (!sample.files) return sample;
  for (const FieldInfo& field : kind.fields())
    for (auto& [name, value] : sample.fields) {
      if (name != field.name || !field.rule.is_file) continue;
      const std::string file = std::get<std::string>(value.items.front());
      const std::filesystem::path path = std::filesystem::path(FAULTLINE_SAMPLE_FOLDER) / file;
      write_file(path, *sample.files->read(file, "sample").content, "sample");
      value.items.front() = path.string();
    }
  sample.files = nullptr;
  return sample;
}

/// Compact descriptions, cheap enough to be the parameters of tests. Under sanitizers the first of each kind.
inline std::vector<std::string> sample_topologies() {
  std::vector<std::string> topologies;
  for (const TopologyKind* kind : topology_kinds())
    for (const Description& sample : samples_of(kind->info, "topology")) {
      topologies.push_back(to_compact(with_files_on_disk(sample, kind->info)));
      if (under_sanitizers) break;
    }
  return topologies;
}

/// One topology with every routing that fits it.
inline std::vector<SampleNetwork> sample_networks(const std::string& topology) {
  std::vector<SampleNetwork> networks;
  for (const RoutingKind* routing : routing_kinds()) {
    if (routing->survival == Survival::plans) continue;  // no circuit: see plan_search_test.cpp
    SampleNetwork network;
    network.relation = if_it_fits([&] {
      network = make_network(topology, std::string(routing->info.name));
      return network.relation;
    });
    if (network.relation) networks.push_back(std::move(network));
  }
  return networks;
}

inline std::vector<SampleNetwork> sample_networks() {
  std::vector<SampleNetwork> networks;
  for (const std::string& topology : sample_topologies())
    for (SampleNetwork& network : sample_networks(topology)) networks.push_back(std::move(network));
  return networks;
}

}  // namespace faultline
