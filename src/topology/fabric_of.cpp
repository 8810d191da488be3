// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/fabric_of.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline {
namespace {

using infiniband::CableEnd;
using infiniband::EndPort;
using infiniband::Fabric;
using infiniband::Lid;
using infiniband::Node;
using infiniband::NodeType;

class FabricMaker {
 public:
  explicit FabricMaker(const Topology& topology) : topology_(topology) { made_.first_port = 1; }

  FabricLabelling make() && {
    require_lids();
    for (const SwitchId at : topology_.switches()) {
      made_.switch_nodes.push_back(static_cast<std::uint32_t>(made_.fabric.nodes.size()));
      add_node(NodeType::switch_, topology_.name(at), at.value(), port_count(at));
    }
    for (const TerminalId terminal : topology_.terminals()) {
      const auto ports = static_cast<std::uint32_t>(topology_.injection(terminal).size());
      made_.terminal_ports.push_back({static_cast<std::uint32_t>(made_.fabric.nodes.size()), 1});
      add_node(NodeType::adapter, topology_.name(terminal), terminal.value(), ports);
    }
    number_lids();
    for (const LinkId link : topology_.links()) add_cable(link);
    std::ranges::sort(made_.fabric.cables, {}, &infiniband::Cable::a);
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error("topology", topology_.name(), "cannot be cabled as an InfiniBand fabric: " + reason);
  }

  void require_lids() const {
    const std::size_t ports = topology_.switch_count() + topology_.injection_channel_count();
    if (ports > infiniband::last_unicast_lid)
      refuse(
          fmt::format("it has {} end ports, and a subnet has {} LIDs", ports, infiniband::last_unicast_lid));
  }

  [[nodiscard]] std::uint32_t port_count(SwitchId at) const {
    std::uint32_t ports = 0;
    for (const ChannelId channel : topology_.outputs(at))
      ports = std::max(ports, topology_.output_port(channel) + made_.first_port);
    return ports;
  }

  void add_node(NodeType type, const std::string& name, std::uint32_t number, std::uint32_t ports) {
    // Apart from each other, with room for the GUIDs of 255 ports.
    constexpr std::uint32_t max_ports = 254;
    if (ports == 0) refuse(name + " has no cable");
    if (ports > max_ports)
      refuse(fmt::format("{} has a port {}, and ports are 1 to {}", name, ports, max_ports));
    constexpr infiniband::Guid first_switch = 0x5000000, first_adapter = 0x10000000, apart = 0x100;
    const bool is_switch = type == NodeType::switch_;
    Node node;
    node.type = type;
    node.guid = (is_switch ? first_switch : first_adapter) + apart * number;
    node.id = fmt::format("{}-{:016x}", is_switch ? 'S' : 'H', node.guid);
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (std::ranges::all_of(name, is_printable)) node.description = name;
    node.port_count = ports;
    if (is_switch) node.end_ports.push_back({.number = 0, .guid = node.guid});
    for (std::uint32_t port = 1; !is_switch && port <= ports; ++port)
      node.end_ports.push_back({.number = port, .guid = node.guid + port});
    made_.fabric.nodes.push_back(std::move(node));
  }

  void number_lids() {
    Lid next = 1;
    for (const bool of_switches : {false, true})
      for (Node& node : made_.fabric.nodes)
        if ((node.type == NodeType::switch_) == of_switches)
          for (EndPort& port : node.end_ports) port.lid = next++;
  }

  void add_cable(LinkId link) {
    const auto channels = topology_.channels(link);
    if (!topology_.is_two_way(link)) refuse(topology_.name(link) + " is not two-way");
    const CableEnd from = sender(channels[0]), to = receiver(channels[0]);
    if (sender(channels[1]) != to || receiver(channels[1]) != from)
      refuse(topology_.name(link) + " has other ports in the opposite direction");
    made_.fabric.cables.push_back({std::min(from, to), std::max(from, to), "4x", "EDR"});
  }
  [[nodiscard]] CableEnd sender(ChannelId channel) const { return made_.sending_end(topology_, channel); }
  [[nodiscard]] CableEnd receiver(ChannelId channel) const { return made_.receiving_end(topology_, channel); }

  const Topology& topology_;
  FabricLabelling made_;
};

}  // namespace

FabricLabelling fabric_of(const Topology& topology) {
  if (const auto* const read = topology.find_labelling<FabricLabelling>()) return *read;
  return FabricMaker(topology).make();
}

}  // namespace faultline
