// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/network_state.h"

#include "simulate/measurement/timeline.h"

namespace faultline::cut_through {
namespace {

/// As many as the widest switch has, as the scans take them.
std::uint32_t common_ports(const Topology& topology, std::uint32_t vcs) {
  std::size_t widest = 8;
  for (const SwitchId at : topology.switches())
    widest = std::max({widest, topology.inputs(at).size() * vcs, topology.outputs(at).size() * vcs});
#ifdef FAULTLINE_CHECKS  // with sanitizers an engine for a number of ports takes a minute to compile
  if (widest > 8) widest = 64;
#endif
  return static_cast<std::uint32_t>(std::bit_ceil(widest));
}

/// By virtual channel: the input that it fills.
std::vector<std::uint32_t> connect_inputs(const Topology& topology, NetworkState& network) {
  std::vector<std::uint32_t> input_of(topology.channel_count() * network.vcs, Output::ejects);
  for (const SwitchId at : topology.switches()) {
    network.switches[at.index()].inputs =
        static_cast<std::uint16_t>(topology.inputs(at).size() * network.vcs);
    std::uint32_t index = at.value() * network.ports;
    for (const ChannelId channel : topology.inputs(at))
      for (std::uint8_t vc = 0; vc < network.vcs; ++vc) {
        network.held[index] = {channel, vc};
        network.inputs[index].fly_less_one = static_cast<std::uint16_t>(topology.fly_cycles(channel) - 1);
        input_of[network.rings.number({channel, vc})] = index++;
      }
  }
  return input_of;
}

void connect_outputs(const Topology& topology, std::span<const std::uint32_t> input_of,
                     NetworkState& network) {
  for (const SwitchId at : topology.switches()) {
    std::uint32_t port = 0;
    for (const ChannelId channel : topology.outputs(at)) {
      network.position_of_channel[channel.index()] = static_cast<std::uint8_t>(port / network.vcs);
      for (std::uint8_t vc = 0; vc < network.vcs; ++vc) {
        const std::uint32_t index = at.value() * network.ports + port++;
        Output& output = network.outputs[index];
        output.target = input_of[network.rings.number({channel, vc})];
        output.credits = static_cast<std::uint8_t>(network.slots_per_input);
        if (output.target == Output::ejects) {
          output.target |= topology.fly_cycles(channel);
          output.near[0].packet = topology.terminal(channel).value();
        } else
          network.inputs[output.target].sender = Sender::output(index);
      }
    }
    for (std::uint32_t level = 0; level < network.slots_per_output; ++level)
      std::fill_n(network.free_from(at.value(), level), port, 0);
  }
}

void connect_injectors(const Topology& topology, std::span<const std::uint32_t> input_of,
                       NetworkState& network) {
  for (const TerminalId terminal : topology.terminals()) {
    network.first_injector.push_back(static_cast<std::uint32_t>(network.injectors.size()));
    std::uint8_t position = 0;
    for (const ChannelId channel : topology.injection(terminal)) {
      network.position_of_channel[channel.index()] = position++;
      for (std::uint8_t vc = 0; vc < network.vcs; ++vc) {
        const std::uint32_t target = input_of[network.rings.number({channel, vc})];
        network.inputs[target].sender = Sender::injector(network.injectors.size());
        network.injectors.push_back({.target = target, .terminal = terminal.value()});
      }
    }
  }
  network.first_injector.push_back(static_cast<std::uint32_t>(network.injectors.size()));
  network.injector_free.assign(network.injectors.size() * network.slots_per_input, 0);
}

/// Behind the virtual channels of each channel.
std::uint64_t lanes_of_ports(const Traffic& traffic, std::uint32_t vcs) {
  std::uint64_t ports = 0;
  for (std::uint32_t port = vcs - 1; traffic.learns && port < 64; port += vcs) ports |= bit(port);
  return ports;
}

void find_ejections(const Topology& topology, NetworkState& network) {
  for (const SwitchId at : topology.switches()) {
    std::uint32_t port = 0;
    for (const ChannelId channel : topology.outputs(at)) {
      if (topology.role(channel) == ChannelRole::ejection) network.special[at.index()].ejections |= bit(port);
      port += network.vcs;
    }
  }
}

/// Enough for the control packets, whose number has no bound: unused memory is not touched.
std::size_t most_packets(const Traffic& traffic, std::size_t of_data) {
  constexpr std::size_t waiting = std::size_t{1} << 20;
  return of_data + (traffic.learns ? waiting + 16 * of_data : 0);
}

void find_failing_outputs(NetworkState& network) {
  for (const DownPorts& change : network.outages.of_switches()) {
    network.switches[change.owner].changes = true;
    network.failing[change.owner].goes_down |= change.ports;
  }
}

/// The outages and reroutings that a run of `spec` reaches.
std::vector<RelationFrom> relations_of(const RoutingRelation& relation, const SimulationSpec& spec) {
  std::vector<RelationFrom> relations{{-1, &relation}};
  const auto limit = static_cast<std::uint64_t>(Timeline::of(spec).limit);
  for (const Rerouting& change : spec.faults.reroutings)
    if (change.at < limit) relations.push_back({static_cast<Time>(change.at), change.relation.get()});
  return relations;
}

}  // namespace

void NetworkState::find_ring_entries(const Topology& topology, std::uint32_t at, const Rings& in_force) {
  for (std::uint32_t input = at * ports; input < at * ports + switches[at].inputs; ++input) {
    into_rings[input] = 0;
    unsigned port = 0;
    for (const ChannelId channel : topology.outputs(SwitchId(at)))
      for (std::uint8_t vc = 0; vc < vcs; ++vc, ++port)
        if (in_force.enters(held[input], {channel, vc})) into_rings[input] |= bit(port);
  }
}

bool fits_event_driven(const RoutingRelation& relation, const SimulationSpec& spec) {
  if (!spec.speedup.none()) return false;
  const std::uint32_t vcs = relation.virtual_channels() + (spec.cut_through().agents ? 1 : 0);
  if (vcs > 32 && spec.cut_through().agents) return false;  // a set of them is a word
  const Topology& topology = relation.topology();
  const std::size_t most = 64 / vcs;  // ports are bits of a word
  const auto few_ports = [&](SwitchId at) {
    return topology.inputs(at).size() <= most && topology.outputs(at).size() <= most;
  };
  const auto few_injectors = [&](TerminalId terminal) { return topology.injection(terminal).size() <= most; };
  return std::ranges::all_of(topology.switches(), few_ports) &&
         std::ranges::all_of(topology.terminals(), few_injectors);
}

NetworkState::NetworkState(const RoutingRelation& relation, const SimulationSpec& spec)
    : timing(relation, spec),
      buffer_rules(timing),
      slots_per_output(timing.slots),
      slots_per_input(buffer_rules.slots_per_input),
      traffic(relation, spec),
      own_lanes(spec.cut_through().agents && spec.cut_through().agents->own_lanes),
      vcs(static_cast<std::uint8_t>(relation.virtual_channels() + (traffic.learns ? 1 : 0))),
      lane_ports(lanes_of_ports(traffic, vcs)),
      vc_mask(vcs == 64 ? ~std::uint64_t{0} : bit(vcs) - 1),
      ports(common_ports(relation.topology(), vcs)),
      rings(relation, vcs),
      switches(relation.topology().switch_count()),
      special(switches.size()),
      lanes(traffic.learns ? switches.size() * (ports / vcs + 1) : 0),
      eligible(switches.size() * ports, never),
      candidates(eligible.size() * (ports > 32 ? 2 : 1)),
      held(eligible.size()),
      inputs(eligible.size()),
      input_slots(slots_per_input <= near_slots ? 0 : inputs.size() * slots_per_input),
      outputs(eligible.size()),
      output_arbiters(arbitration_of(spec), spec.seed, switches.size(), ports, 0),
      input_arbiters(arbitration_of(spec), spec.seed, vcs > 1 ? switches.size() : 0, ports, of_input),
      output_slots(slots_per_output <= near_slots ? 0 : outputs.size() * slots_per_output),
      output_free(outputs.size() * slots_per_output, never),
      position_of_channel(relation.topology().channel_count()),
      packets(most_packets(traffic, relation.topology().terminal_count() + inputs.size() * slots_per_input +
                                        outputs.size() * slots_per_output),
              traffic.any()),
      outages(relation, spec, vcs),
      relations(relations_of(relation, spec)),
      has_rings(std::ranges::any_of(
          relations, [](const RelationFrom& entry) { return !entry.relation->bubble_rings().empty(); })) {
  const Topology& topology = relation.topology();
  for (std::uint32_t port = 0; port < std::size(first_sibling); ++port)
    first_sibling[port] = static_cast<std::uint8_t>(port / vcs * vcs);
  const std::vector<std::uint32_t> input_of = connect_inputs(topology, *this);
  connect_outputs(topology, input_of, *this);
  connect_injectors(topology, input_of, *this);
  if (has_rings) into_rings.resize(inputs.size());
  for (std::uint32_t at = 0; has_rings && at < switches.size(); ++at) find_ring_entries(topology, at, rings);
  if (traffic.any()) find_ejections(topology, *this);
  if (!outages.of_switches().empty() || relations.size() > 1) {
    arrival_tags.resize(inputs.size());
    failing.resize(switches.size());
  }
  find_failing_outputs(*this);
  if (relations.size() > 1)
    for (Switch& entry : switches) entry.changes = true;
}

std::size_t NetworkState::bytes() const {
  const auto size = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return size(switches) + size(eligible) + size(candidates) + size(into_rings) + size(inputs) +
         size(input_slots) + size(outputs) + size(output_slots) + size(output_free) + size(injectors) +
         size(injector_free);
}

std::uint64_t NetworkState::packets_generated_before(Time end) const {
  std::uint64_t found = 0;
  const auto look_at = [&](PacketId id) {
    found += !packets[id].is_control() && packets[id].generated < end ? 1 : 0;
  };
  for_each_in_inputs(look_at);
  for (std::uint32_t i = 0; i < outputs.size(); ++i)
    for (std::uint32_t k = 0; k < outputs[i].waiting; ++k)
      look_at(slots_of_output(i)[in_ring(outputs[i].head + k, slots_per_output)].packet);
  return found;
}

bool NetworkState::shut_out(std::uint32_t at, std::uint32_t input) const {
  const std::uint64_t wants = candidates_of(input);
  const std::uint64_t entered = has_rings ? into_rings[input] : 0;
  for (std::uint64_t rest = wants; rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(rest));
    if (free_from(at, (entered & bit(port)) != 0 ? 1 : 0)[port] != never) return false;
  }
  return wants != 0;
}

Blocked NetworkState::blocked_head(const Topology& topology, std::uint32_t at, std::uint32_t input) const {
  const PacketId id = slots_of_input(input)[inputs[input].head].packet;
  const Packet& packet = packets[id];
  Blocked head{.waits = {rings.number(held[input]), {}},
               .source = TerminalId(packet.source),
               .destination = TerminalId(traffic.any() ? packets.header(id).final : packet.destination),
               .sequence = packet.sequence};
  for (std::uint64_t wants = candidates_of(input); wants != 0; wants &= wants - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(wants));
    const ChannelId channel = topology.outputs(SwitchId(at))[port / vcs];
    head.waits.for_any.push_back(rings.number({channel, static_cast<std::uint8_t>(port % vcs)}));
  }
  return head;
}

std::vector<Blocked> NetworkState::blocked_heads(const Topology& topology, Time end) const {
  std::vector<Blocked> blocked;
  for (std::uint32_t at = 0; at < switches.size(); ++at) {
    if ((switches[at].wanted | switches[at].entered) == 0) continue;  // no head waits here
    const std::uint32_t first = at * ports;
    for (std::uint32_t input = first; input < first + switches[at].inputs; ++input)
      if (eligible[input] < end && !is_lane(input - first) && shut_out(at, input))
        blocked.push_back(blocked_head(topology, at, input));
  }
  return blocked;
}

Lookahead NetworkState::lookahead(const Topology& topology) const {
  Time least_fly = max_delay_cycles;
  const bool shares = traffic.learns && !own_lanes;
  const Time shortest =
      traffic.learns ? std::min(timing.shortest_packet, traffic.control_flits) : timing.shortest_packet;
  const Time shortest_in_slot = shares ? shortest : timing.shortest_packet;
  Time least_credit_delay = shortest_in_slot;
  for (const ChannelId channel : topology.channels()) {
    const auto fly = static_cast<Time>(topology.fly_cycles(channel));
    least_fly = std::min(least_fly, fly);
    least_credit_delay = std::min(least_credit_delay, credit_delay(shortest_in_slot, fly));
  }
  const Time injection = least_fly + timing.routing;
  const Time letter = traffic.any() ? timing.crossbar + least_fly + shortest : never;
  // An agent must not be queried ahead of the switches: at the end of a run it knows nothing of later cycles.
  const Time grant = traffic.learns ? injection : timing.crossbar + injection;
  return {grant, injection, least_credit_delay, letter};
}

std::vector<std::uint64_t> NetworkState::flits_by_channel(const Topology& topology,
                                                          const InjectionProcess& injection, Time end) const {
  std::vector<std::uint64_t> flits(topology.channel_count());
  for (const SwitchId at : topology.switches())
    for (std::uint32_t port = 0; port < topology.outputs(at).size() * vcs; ++port)
      flits[topology.outputs(at)[port / vcs].index()] += output_flits[at.value() * ports + port];
  for (const TerminalId terminal : topology.terminals())
    for (std::uint32_t port = 0; port < topology.injection(terminal).size() * vcs; ++port) {
      const std::uint32_t index = first_injector[terminal.index()] + port;
      flits[topology.injection(terminal)[port / vcs].index()] +=
          injectors[index].flits - flits_injected_from(injectors[index].target, injection, end);
    }
  return flits;
}

/// Terminals are ahead of the switches.
std::uint64_t NetworkState::flits_injected_from(std::uint32_t input, const InjectionProcess& injection,
                                                Time end) const {
  std::uint64_t flits = 0;
  for (std::uint32_t i = 0; i < inputs[input].count; ++i) {
    const PacketId id = slots_of_input(input)[in_ring(inputs[input].head + i, slots_per_input)].packet;
    const Packet& packet = packets[id];
    if (packet.is_control()) continue;
    const Time entered = traffic.any() ? packets.header(id).entered : packet.injected_at();
    if (entered >= end) flits += injection.flits(TerminalId(packet.source), packet.sequence);
  }
  return flits;
}

}  // namespace faultline::cut_through
