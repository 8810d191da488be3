// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/network_state.h"

namespace faultline::cut_through {

template <class Set>
NetworkState<Set>::NetworkState(const RoutingRelation& relation, const SimulationSpec& spec,
                                std::uint32_t ports_a_switch)
    : BufferState(relation, spec, ports_a_switch),
      switches(switch_count),
      special(switch_count),
      candidates(is_wide       ? 0
                 : ports <= 32 ? inputs.size()
                               : 2 * inputs.size()),
      wanted_by(is_wide ? packets.capacity() : 0) {
  const Topology& topology = relation.topology();
  for (std::uint32_t port = 0; port < std::size(siblings_); ++port)
    siblings_[port] = ports_from<Set>(port - vc_of_port[port], first_ports(vcs));
  if (has_rings) into_rings.resize(inputs.size());
  for (std::uint32_t at = 0; has_rings && at < switch_count; ++at) find_ring_entries(topology, at, rings);
  if (traffic.any()) find_ejections(topology);
  if (changes()) failing.resize(switch_count);
  find_failing_outputs();
  if (relations.size() > 1)
    for (Switch<Set>& entry : switches) entry.changes = true;
}

template <class Set>
void NetworkState<Set>::find_ring_entries(const Topology& topology, std::uint32_t at, const Rings& in_force) {
  for (std::uint32_t input = at * ports; input < at * ports + input_counts[at]; ++input) {
    into_rings[input] = 0;
    unsigned port = 0;
    for (const ChannelId channel : topology.outputs(SwitchId(at)))
      for (std::uint8_t vc = 0; vc < vcs; ++vc, ++port)
        if (in_force.enters(held[input], {channel, vc})) into_rings[input] |= only<Set>(port);
  }
}

template <class Set>
void NetworkState<Set>::find_ejections(const Topology& topology) {
  for (const SwitchId at : topology.switches()) {
    std::uint32_t port = 0;
    for (const ChannelId channel : topology.outputs(at)) {
      if (topology.role(channel) == ChannelRole::ejection) special[at.index()].ejections |= only<Set>(port);
      port += vcs;
    }
  }
}

template <class Set>
void NetworkState<Set>::find_failing_outputs() {
  for (const ChannelChange& change : outages.of_switches()) {
    switches[change.owner].changes = true;
    failing[change.owner].goes_down |= ports_of_channel(change.position);
  }
}

template <class Set>
std::size_t NetworkState<Set>::bytes() const {
  const auto size = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return BufferState::bytes() + size(switches) + size(candidates) + size(into_rings);
}

template <class Set>
bool NetworkState<Set>::shut_out(std::uint32_t at, std::uint32_t input) const {
  const Set wants = candidates_of(input), entered = has_rings ? into_rings[input] : Set(0);
  for (const std::uint32_t port : ports_of(wants))
    if (free_from(at, contains(entered, port) ? 1 : 0)[port] != never) return false;
  return wants != Set(0);
}

template <class Set>
void NetworkState<Set>::add_blocked(const Topology& topology, std::uint32_t at, std::uint32_t input,
                                    BlockedHeads& blocked, std::vector<VcIndex>& wanted) const {
  const PacketId id = slots_of_input(input)[inputs[input].head].packet;
  const Packet& packet = packets[id];
  wanted.clear();
  for (const std::uint32_t port : ports_of(candidates_of(input))) {
    const ChannelId channel = topology.outputs(SwitchId(at))[port / vcs];
    wanted.push_back(rings.number({channel, static_cast<std::uint8_t>(port % vcs)}));
  }
  blocked.add({.vc = rings.number(held[input]),
               .source = TerminalId(packet.source),
               .destination = TerminalId(traffic.any() ? packets.header(id).final : packet.destination),
               .sequence = packet.sequence},
              wanted);
}

template <class Set>
BlockedHeads NetworkState<Set>::blocked_heads(const Topology& topology, Time end) const {
  BlockedHeads blocked;
  std::vector<VcIndex> wanted;
  for (std::uint32_t at = 0; at < switch_count; ++at) {
    if ((switches[at].wanted | switches[at].entered) == Set(0)) continue;  // no head waits here
    const std::uint32_t first = at * ports;
    for (std::uint32_t input = first; input < first + input_counts[at]; ++input)
      if (eligible[input] < end && !is_lane(input - first) && shut_out(at, input))
        add_blocked(topology, at, input, blocked, wanted);
  }
  return blocked;
}

template struct NetworkState<PortSet<64>>;
template struct NetworkState<PortSet<128>>;
template struct NetworkState<PortSet<256>>;

}  // namespace faultline::cut_through
