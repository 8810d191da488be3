// SPDX-License-Identifier: Apache-2.0
#include "routing/table_dependencies.h"

#include "faultline/infiniband/lids.h"

namespace faultline {
namespace {

template <class Visit>
void for_each_lid_of_all(const Topology& topology, const FabricLabelling& fabric, Visit visit) {
  for (const TerminalId terminal : topology.terminals())
    infiniband::for_each_lid(fabric.end_port(terminal), visit);
  for (const SwitchId at : topology.switches())
    if (const infiniband::EndPort* const own = fabric.node(at).find_end_port(0); own != nullptr)
      infiniband::for_each_lid(*own, visit);
}

}  // namespace

std::optional<AcyclicDependencies> acyclic_dependencies(const Topology& topology,
                                                        std::vector<std::uint32_t> uses) {
  std::vector<ChannelId> order;
  for (const ChannelId channel : id_range<ChannelId>(0, topology.network_channel_count()))
    order.push_back(channel);
  return AcyclicDependencies::of(topology, std::move(uses), order);
}

std::optional<AcyclicDependencies> dependencies_of_tables(const Topology& topology,
                                                          const FabricLabelling& fabric,
                                                          const infiniband::ForwardingTables& tables,
                                                          const FaultSet& dead) {
  const SwitchPorts ports(topology, fabric, dead);
  const Dependencies dependencies(topology);
  std::vector<std::uint32_t> uses(dependencies.count());
  std::vector<const infiniband::ForwardingTable*> table;
  for (const SwitchId at : topology.switches()) table.push_back(tables.find(fabric.node(at).guid));
  PortsTowards towards(topology.switch_count());
  for_each_lid_of_all(topology, fabric, [&](infiniband::Lid lid) {
    for (std::size_t at = 0; at < towards.size(); ++at)
      towards[at] = table[at] != nullptr ? table[at]->port(lid).value_or(no_port) : no_port;
    for_each_dependency(topology, ports, towards,
                        [&](ChannelId held, ChannelId wanted) { ++uses[dependencies.of(held, wanted)]; });
  });
  return acyclic_dependencies(topology, std::move(uses));
}

}  // namespace faultline
