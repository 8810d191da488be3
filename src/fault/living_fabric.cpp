// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/living_fabric.h"

#include <set>

#include "faultline/topology/labellings.h"

namespace faultline {

infiniband::Fabric living_fabric(const Topology& topology, const FaultSet& dead) {
  const auto& labelling = topology.labelling<FabricLabelling>("a list of cables", "topology");
  dead.require_of(topology, "dead");
  std::set<infiniband::CableEnd> dead_ends;  // at switches: every cable of the network has one
  for (const ChannelId channel : topology.channels())
    if (dead.failed(channel))
      dead_ends.insert(topology.source(channel).valid() ? labelling.sending_end(topology, channel)
                                                        : labelling.receiving_end(topology, channel));
  infiniband::Fabric fabric = labelling.fabric;
  std::erase_if(fabric.cables, [&](const infiniband::Cable& cable) {
    return dead_ends.contains(cable.a) || dead_ends.contains(cable.b);
  });
  return fabric;
}

}  // namespace faultline
