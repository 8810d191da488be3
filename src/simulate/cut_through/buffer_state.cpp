// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/buffer_state.h"

#include "base/machine_memory.h"
#include "simulate/cut_through/partition.h"
#include "simulate/measurement/timeline.h"
#include "simulate/switches/widest_switch.h"

namespace faultline::cut_through {
namespace {

/// By virtual channel: the input that it fills.
std::vector<std::uint32_t> connect_inputs(const Topology& topology, BufferState& network) {
  std::vector<std::uint32_t> input_of(topology.channel_count() * network.vcs, Output::ejects);
  for (const SwitchId at : topology.switches()) {
    network.input_counts.push_back(static_cast<std::uint32_t>(topology.inputs(at).size() * network.vcs));
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
                     BufferState& network) {
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
        if (vc != 0) continue;
        network.output_channel(at.value(), port - 1) =
            output.target < Output::ejects ? OutputChannel{.target = output.target}
                                           : OutputChannel{Output::ejects | output.near[0].packet,
                                                           static_cast<Time>(topology.fly_cycles(channel))};
      }
    }
    for (std::uint32_t level = 0; level < network.slots_per_output; ++level)
      std::fill_n(network.free_from(at.value(), level), port, 0);
  }
}

void connect_injectors(const Topology& topology, std::span<const std::uint32_t> input_of,
                       BufferState& network) {
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

/// What waits in lanes and for terminals to send it takes no slot of a buffer: all packets that sources
/// generate, at most one in a cycle, may, and a control packet for each. No more can than memory holds.
std::size_t max_waiting(const Traffic& traffic, std::size_t terminals, const SimulationSpec& spec) {
  constexpr std::uint64_t memory_where_unknown = std::uint64_t{1} << 32;
  if (!traffic.any()) return 0;
  const std::size_t generated =
      std::max<std::size_t>(terminals * static_cast<std::size_t>(Timeline::of(spec).limit),
                            spec.measurement.packets);  // a trace may have several in a cycle
  return std::min(traffic.learns ? 2 * generated : generated,
                  machine_memory().value_or(memory_where_unknown) / (sizeof(Packet) + sizeof(PacketHeader)));
}

/// The relations that a run of `spec` uses, each from its cycle on.
std::vector<RelationFrom> relations_of(const RoutingRelation& relation, const SimulationSpec& spec) {
  std::vector<RelationFrom> relations{{-1, &relation}};
  const auto limit = static_cast<std::uint64_t>(Timeline::of(spec).limit);
  for (const Rerouting& change : spec.faults.reroutings)
    if (change.at < limit) relations.push_back({static_cast<Time>(change.at), change.relation.get()});
  return relations;
}

}  // namespace

BufferState::BufferState(const RoutingRelation& relation, const SimulationSpec& spec,
                         std::uint32_t ports_a_switch)
    : timing(relation, spec),
      buffer_rules(timing),
      slots_per_output(timing.slots),
      slots_per_input(buffer_rules.slots_per_input),
      traffic(relation, spec),
      own_lanes(spec.cut_through().agents && spec.cut_through().agents->own_lanes),
      vcs(static_cast<std::uint8_t>(relation.virtual_channels() + (traffic.learns ? 1 : 0))),
      ports(ports_a_switch),
      switch_count(static_cast<std::uint32_t>(relation.topology().switch_count())),
      channels(static_cast<std::uint32_t>(widest_switch(relation.topology()))),
      rings(relation, vcs),
      lanes(traffic.learns ? std::size_t{switch_count} * (ports / vcs + 1) : 0),
      eligible(std::size_t{switch_count} * ports, never),
      held(eligible.size()),
      input_read(vcs <= near_vcs ? 0 : std::size_t{switch_count} * channels),
      inputs(eligible.size()),
      input_slots(slots_per_input <= near_slots ? 0 : inputs.size() * slots_per_input),
      outputs(eligible.size()),
      output_channels(std::size_t{switch_count} * channels),
      unknown(eligible.size()),
      output_arbiters(arbitration_of(spec), spec.seed, switch_count, ports, 0),
      input_arbiters(arbitration_of(spec), spec.seed, vcs > 1 ? switch_count : 0, ports, of_input),
      output_slots(slots_per_output <= near_slots ? 0 : outputs.size() * slots_per_output),
      output_free(outputs.size() * slots_per_output, never),
      position_of_channel(relation.topology().channel_count()),
      packets(relation.topology().terminal_count() + inputs.size() * slots_per_input +
                  outputs.size() * slots_per_output,
              max_waiting(traffic, relation.topology().terminal_count(), spec),
              Partition::max_regions(switch_count, spec.threads), traffic.any()),
      outages(relation.topology(), spec),
      lasting_paths(relation.topology(), spec.faults),
      relations(relations_of(relation, spec)),
      has_rings(std::ranges::any_of(
          relations, [](const RelationFrom& entry) { return !entry.relation->bubble_rings().empty(); })) {
  const Topology& topology = relation.topology();
  for (std::uint32_t port = 0; port < max_ports; ++port) {
    channel_of_port[port] = static_cast<std::uint8_t>(port / vcs);
    vc_of_port[port] = static_cast<std::uint8_t>(port % vcs);
  }
  const std::vector<std::uint32_t> input_of = connect_inputs(topology, *this);
  connect_outputs(topology, input_of, *this);
  connect_injectors(topology, input_of, *this);
  if (changes()) arrival_tags.resize(inputs.size());
}

std::size_t BufferState::bytes() const {
  const auto size = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return size(eligible) + size(inputs) + size(input_slots) + size(outputs) + size(output_slots) +
         size(output_free) + size(injectors) + size(injector_free);
}

std::uint64_t BufferState::packets_generated_before(Time end) const {
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

Lookahead BufferState::lookahead(const Topology& topology) const {
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

std::vector<std::uint64_t> BufferState::flits_by_channel(const Topology& topology,
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
std::uint64_t BufferState::flits_injected_from(std::uint32_t input, const InjectionProcess& injection,
                                               Time end) const {
  std::uint64_t flits = 0;
  for (std::uint32_t i = 0; i < inputs[input].count; ++i) {
    const PacketId id = slots_of_input(input)[in_ring(inputs[input].head + i, slots_per_input)].packet;
    const Packet& packet = packets[id];
    const Time entered = traffic.any() ? packets.header(id).entered : packet.injected_at();
    if (entered < end) continue;
    flits += packet.is_control() ? static_cast<std::uint64_t>(traffic.control_flits)
                                 : injection.flits(TerminalId(packet.source), packet.sequence);
  }
  return flits;
}

}  // namespace faultline::cut_through
