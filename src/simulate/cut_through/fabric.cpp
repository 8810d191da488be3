// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/fabric.h"

#include <algorithm>
#include <bit>

#include "simulate/cut_through/scan.h"

namespace faultline::cut_through {
namespace {

std::uint16_t padded(std::size_t ports) {
  return static_cast<std::uint16_t>(std::max(scan_width, (ports + scan_width - 1) / scan_width * scan_width));
}

Time credit_lead(const Topology& topology, ChannelId channel, const Timing& timing) {
  if (timing.buffers != BufferPlace::output) return 0;
  return timing.routing + static_cast<Time>(topology.fly_cycles(channel));
}

HugeVector<Switch> numbered_switches(const Topology& topology, std::uint32_t vcs) {
  HugeVector<Switch> switches(topology.switch_count());
  std::uint32_t inputs = 0, outputs = 0;
  for (const SwitchId at : topology.switches()) {
    Switch& entry = switches[at.index()];
    entry.inputs = static_cast<std::uint16_t>(topology.inputs(at).size() * vcs);
    entry.padded_inputs = padded(entry.inputs);
    entry.padded_outputs = padded(topology.outputs(at).size() * vcs);
    entry.first_input = inputs;
    entry.first_output = outputs;
    inputs += entry.padded_inputs;
    outputs += entry.padded_outputs;
  }
  return switches;
}

/// By virtual channel: the input that it fills.
std::vector<std::uint32_t> connect_inputs(const Topology& topology, Fabric& fabric) {
  std::vector<std::uint32_t> input_of(topology.channel_count() * fabric.vcs, Output::ejects);
  for (const SwitchId at : topology.switches()) {
    std::uint32_t index = fabric.switches[at.index()].first_input;
    for (const ChannelId channel : topology.inputs(at))
      for (std::uint8_t vc = 0; vc < fabric.vcs; ++vc) {
        Input& input = fabric.inputs[index];
        input.at = at.value();
        input.channel = channel;
        input.vc = vc;
        input.credit_lead = credit_lead(topology, channel, fabric.timing);
        input_of[fabric.rings.number({channel, vc})] = index++;
      }
  }
  return input_of;
}

void connect_outputs(const Topology& topology, std::span<const std::uint32_t> input_of, Fabric& fabric) {
  for (const SwitchId at : topology.switches()) {
    const Switch& entry = fabric.switches[at.index()];
    std::uint16_t port = 0;
    for (const ChannelId channel : topology.outputs(at)) {
      fabric.position_of_channel[channel.index()] = static_cast<std::uint8_t>(port / fabric.vcs);
      for (std::uint8_t vc = 0; vc < fabric.vcs; ++vc) {
        const std::uint32_t index = entry.first_output + port;
        Output& output = fabric.outputs[index];
        output.target = input_of[fabric.rings.number({channel, vc})];
        output.fly = static_cast<Time>(topology.fly_cycles(channel));
        output.at = at.value();
        output.port = port++;
        output.credits = static_cast<std::uint16_t>(fabric.input_places);
        if (output.target != Output::ejects) fabric.inputs[output.target].sender = Sender::output(index);
      }
    }
    for (std::uint32_t level = 0; level < fabric.places; ++level)
      std::fill_n(fabric.free_from(entry, level), port, 0);
  }
}

void connect_injectors(const Topology& topology, std::span<const std::uint32_t> input_of, Fabric& fabric) {
  for (const TerminalId terminal : topology.terminals()) {
    fabric.first_injector.push_back(static_cast<std::uint32_t>(fabric.injectors.size()));
    std::uint8_t position = 0;
    for (const ChannelId channel : topology.injection(terminal)) {
      fabric.position_of_channel[channel.index()] = position++;
      for (std::uint8_t vc = 0; vc < fabric.vcs; ++vc) {
        const std::uint32_t target = input_of[fabric.rings.number({channel, vc})];
        fabric.inputs[target].sender = Sender::injector(fabric.injectors.size());
        fabric.injectors.push_back({.target = target,
                                    .fly = static_cast<Time>(topology.fly_cycles(channel)),
                                    .terminal = terminal.value()});
      }
    }
  }
  fabric.first_injector.push_back(static_cast<std::uint32_t>(fabric.injectors.size()));
  fabric.injector_free.assign(fabric.injectors.size() * fabric.input_places, 0);
}

}  // namespace

bool fits_event_driven(const RoutingRelation& relation) {
  const Topology& topology = relation.topology();
  const std::size_t most = 64 / relation.virtual_channels();  // ports are bits of a word
  const auto few_ports = [&](SwitchId at) {
    return topology.inputs(at).size() <= most && topology.outputs(at).size() <= most;
  };
  const auto few_injectors = [&](TerminalId terminal) { return topology.injection(terminal).size() <= most; };
  return topology.terminal_count() <= max_sources && std::ranges::all_of(topology.switches(), few_ports) &&
         std::ranges::all_of(topology.terminals(), few_injectors);
}

Fabric::Fabric(const RoutingRelation& relation, const Timing& model)
    : timing(model),
      placement(model),
      places(model.places),
      input_places(placement.input_places),
      vcs(relation.virtual_channels()),
      vc_mask(bit(vcs) - 1),
      rings(relation),
      switches(numbered_switches(relation.topology(), vcs)),
      position_of_channel(relation.topology().channel_count()) {
  const Topology& topology = relation.topology();
  last_awaited_level = rings.any() ? 1 : 0;
  const std::size_t input_count =
      switches.empty() ? 0 : switches.back().first_input + switches.back().padded_inputs;
  const std::size_t output_count =
      switches.empty() ? 0 : switches.back().first_output + switches.back().padded_outputs;
  eligible.assign(input_count, never);
  candidates.resize(input_count);
  if (rings.any()) entered.resize(input_count);
  inputs.resize(input_count);
  input_packets.resize(input_count * input_places);
  outputs.resize(output_count);
  output_packets.resize(output_count * places);
  if (input_places > Output::near_places) credits.assign(output_count * input_places, 0);
  output_free.assign(output_count * places, never);
  const std::vector<std::uint32_t> input_of = connect_inputs(topology, *this);
  connect_outputs(topology, input_of, *this);
  connect_injectors(topology, input_of, *this);
}

std::size_t Fabric::bytes() const {
  const auto size = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return size(switches) + size(eligible) + size(candidates) + size(entered) + size(inputs) +
         size(input_packets) + size(outputs) + size(output_packets) + size(credits) + size(output_free) +
         size(injectors) + size(injector_free);
}

std::uint64_t Fabric::packets_generated_before(Time end) {
  std::uint64_t found = 0;
  const auto look_at = [&](const Packet* ring, std::uint32_t first, std::uint32_t count, std::uint32_t size) {
    for (std::uint32_t i = 0; i < count; ++i) found += ring[(first + i) % size].generated < end ? 1 : 0;
  };
  for (std::uint32_t i = 0; i < inputs.size(); ++i)
    look_at(packets_of_input(i), inputs[i].head, inputs[i].count, input_places);
  for (std::uint32_t i = 0; i < outputs.size(); ++i)
    look_at(packets_of_output(i), outputs[i].waiting_head, outputs[i].waiting, places);
  return found;
}

bool Fabric::shut_out(std::uint32_t input) {
  const Switch& at = switches[inputs[input].at];
  const std::uint64_t into_rings = rings.any() ? entered[input] : 0;
  for (std::uint64_t ports = candidates[input]; ports != 0; ports &= ports - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(ports));
    if (free_from(at, (into_rings & bit(port)) != 0 ? 1 : 0)[port] != never) return false;
  }
  return candidates[input] != 0;
}

std::vector<Blocked> Fabric::blocked_heads(const Topology& topology, Time end) {
  std::vector<Blocked> blocked;
  for (std::uint32_t index = 0; index < inputs.size(); ++index) {
    if (eligible[index] >= end || !shut_out(index)) continue;
    const Input& input = inputs[index];
    const Packet& packet = packets_of_input(index)[input.head];
    Blocked head{.waits = {rings.number({input.channel, input.vc}), {}},
                 .source = TerminalId(packet.source),
                 .destination = TerminalId(packet.destination),
                 .sequence = packet.sequence};
    for (std::uint64_t ports = candidates[index]; ports != 0; ports &= ports - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(ports));
      const ChannelId wanted = topology.outputs(SwitchId(input.at))[port / vcs];
      head.waits.for_any.push_back(rings.number({wanted, static_cast<std::uint8_t>(port % vcs)}));
    }
    blocked.push_back(std::move(head));
  }
  return blocked;
}

Lookahead Fabric::lookahead(const Topology& topology) const {
  Time least_fly = max_delay_cycles;
  Time most_credit_lead = 0;
  for (const ChannelId channel : topology.channels()) {
    least_fly = std::min(least_fly, static_cast<Time>(topology.fly_cycles(channel)));
    most_credit_lead = std::max(most_credit_lead, credit_lead(topology, channel, timing));
  }
  const Time injection = least_fly + timing.routing;
  return {timing.crossbar + injection, injection,
          std::max<Time>(1, timing.shortest_packet - most_credit_lead)};
}

std::vector<std::uint64_t> Fabric::flits_by_channel(const Topology& topology,
                                                    std::span<const std::uint64_t> by_output) const {
  std::vector<std::uint64_t> flits(topology.channel_count());
  for (const SwitchId at : topology.switches())
    for (std::uint32_t port = 0; port < topology.outputs(at).size() * vcs; ++port)
      flits[topology.outputs(at)[port / vcs].index()] += by_output[switches[at.index()].first_output + port];
  for (const TerminalId terminal : topology.terminals())
    for (std::uint32_t port = 0; port < topology.injection(terminal).size() * vcs; ++port)
      flits[topology.injection(terminal)[port / vcs].index()] +=
          injectors[first_injector[terminal.index()] + port].flits;
  return flits;
}

}  // namespace faultline::cut_through
