// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/lost_packets.h"

namespace faultline::cut_through {

Time start_on_failing_channel(BufferState& network, const Topology& topology, std::uint32_t output,
                              Time start, PacketId id, Time flits) {
  const std::uint32_t at = output / network.ports, port = output % network.ports;
  const ChannelId channel = topology.outputs(SwitchId(at))[port / network.vcs];
  const auto fly = static_cast<Time>(topology.fly_cycles(channel));
  const Buffering buffers = network.timing.buffers;
  Time given = start;
  if (buffers == Buffering::input)  // with the grant
    given -= network.timing.crossbar;
  else
    start = given = network.outages.up_from(channel, start);
  if (start == never) return never;
  const bool stays = buffers == Buffering::output && network.outputs[output].target < Output::ejects;
  if (!stays && network.outages.loses(channel, given, start + fly + flits)) network.packets[id].lose();
  return start;
}

void lose_if_failed(BufferState& network, std::uint32_t input, const Slot& head, Time until) {
  const Time start = head.time - network.timing.routing - (network.inputs[input].fly_less_one + 1);
  if (network.outages.loses(network.held[input].channel, start, until)) network.packets[head.packet].lose();
}

}  // namespace faultline::cut_through
