// SPDX-License-Identifier: Apache-2.0
#include "cable_names.h"

#include <algorithm>

#include "faultline/topology/labellings.h"

namespace faultline::app {
namespace {

CableEndId id_of(const FabricLabelling& fabric, const infiniband::CableEnd& end) {
  return {fabric.fabric.nodes[end.node].id, end.port};
}

}  // namespace

CableNames cable_names(const Topology& topology) {
  const auto& fabric = *topology.find_labelling<FabricLabelling>();
  CableNames names;
  for (const LinkId link : topology.links()) {
    const ChannelId channel = topology.channels(link).front();
    names.emplace(std::minmax(id_of(fabric, fabric.sending_end(topology, channel)),
                              id_of(fabric, fabric.receiving_end(topology, channel))),
                  topology.name(link));
  }
  return names;
}

}  // namespace faultline::app
