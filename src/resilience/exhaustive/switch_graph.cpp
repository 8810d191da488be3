// SPDX-License-Identifier: Apache-2.0
#include "faultline/resilience/switch_graph.h"

#include <algorithm>

namespace faultline::survival {
namespace {

FailedPart failed_link(const Topology& topology, LinkId link) {
  const ChannelId channel = topology.channels(link).front();
  if (topology.role(channel) == ChannelRole::network)
    return {FailedPart::What::network_link, link.value(), 0};
  return {FailedPart::What::terminal_link, link.value(), topology.terminal(channel).value()};
}

}  // namespace

std::optional<SwitchGraph> switch_graph(const Topology& topology) {
  SwitchGraph network{
      .switches = static_cast<std::uint32_t>(topology.switch_count()), .links = {}, .terminals = {}};
  for (std::size_t index = 0; index < topology.link_count(); ++index) {
    if (!topology.is_two_way(LinkId(index))) return std::nullopt;  // files may give any channels one link
    const auto channels = topology.channels(LinkId(index));
    if (topology.role(channels.front()) == ChannelRole::network)
      network.links.push_back(
          {topology.source(channels.front()).value(), topology.target(channels.front()).value()});
  }
  for (const TerminalId terminal : topology.terminals()) {
    auto& attached = network.terminals.emplace_back();
    for (const ChannelId channel : topology.injection(terminal))
      attached.push_back({topology.target(channel).value(), topology.link(channel).value()});
    std::ranges::sort(attached);
  }
  return network;
}

std::vector<FailedPart> failed_parts(const FaultComponents& components) {
  const Topology& topology = components.topology();
  std::vector<FailedPart> all;
  for (std::size_t component = 0; component < components.count(); ++component) {
    const std::uint32_t member = components.member(component);
    switch (components.unit(component)) {
      case FaultUnit::switch_:
        all.push_back({FailedPart::What::at_switch, member, 0});
        break;
      case FaultUnit::terminal:
        all.push_back({FailedPart::What::terminal, member, member});
        break;
      case FaultUnit::link:
        all.push_back(failed_link(topology, LinkId(member)));
        break;
      case FaultUnit::channel:
        all.push_back(failed_link(topology, topology.link(ChannelId(member))));
        break;
    }
  }
  return all;
}

}  // namespace faultline::survival
