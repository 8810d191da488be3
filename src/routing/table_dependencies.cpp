// SPDX-License-Identifier: Apache-2.0
#include "routing/table_dependencies.h"

#include <vector>

#include "faultline/infiniband/lids.h"
#include "routing/switch_ports.h"

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

std::optional<AcyclicDependencies> dependencies_of_tables(const Topology& topology,
                                                          const FabricLabelling& fabric,
                                                          const infiniband::ForwardingTables& tables,
                                                          const FaultSet& dead) {
  const SwitchPorts ports(topology, fabric, dead);
  const Dependencies dependencies(topology);
  std::vector<std::uint32_t> uses(dependencies.count());
  std::vector<const infiniband::ForwardingTable*> table;
  for (const SwitchId at : topology.switches()) table.push_back(tables.find(fabric.node(at).guid));
  const auto next = [&](SwitchId at, infiniband::Lid lid) {
    const auto port = table[at.index()] != nullptr ? table[at.index()]->port(lid) : std::nullopt;
    return port ? ports.channel(at, *port) : ChannelId();
  };
  for_each_lid_of_all(topology, fabric, [&](infiniband::Lid lid) {
    for (const SwitchId at : topology.switches()) {
      const ChannelId held = dead.failed(at) ? ChannelId() : next(at, lid);
      const ChannelId wanted = held.valid() ? next(topology.target(held), lid) : ChannelId();
      if (wanted.valid()) ++uses[dependencies.of(held, wanted)];
    }
  });
  std::vector<ChannelId> order;
  for (std::uint32_t channel = 0; channel < topology.network_channel_count(); ++channel)
    order.emplace_back(channel);
  return AcyclicDependencies::of(topology, std::move(uses), order);
}

}  // namespace faultline
