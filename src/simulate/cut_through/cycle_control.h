// SPDX-License-Identifier: Apache-2.0
// Control packets, built from the packets that they answer.
#pragma once

#include "simulate/cut_through/cycle_state.h"

namespace faultline::cut_through::plain {

/// To the source of `packet`, as long as the spec says.
[[nodiscard]] inline Packet control_packet(const Packet& packet, Time now, const SourceAgents& spec,
                                           const News& news) {
  return {.source = packet.source,
          .destination = packet.source,
          .sequence = packet.sequence,
          .generated = now,
          .injected = now,
          .flits = static_cast<Time>(spec.control_flits),
          .control = true,
          .news = news};
}

/// Of a packet whose tail comes to its destination at `tail`.
[[nodiscard]] inline Packet acknowledgement(const Packet& packet, Time tail, const SourceAgents& spec) {
  return control_packet(packet, tail, spec,
                        {.is_fault = false,
                         .way = packet.way,
                         .destination = packet.destination,
                         .value = static_cast<std::uint32_t>(tail - packet.injected)});
}

/// For a packet that requests `dead`.
[[nodiscard]] inline Packet notification(const Packet& packet, Time now, const SourceAgents& spec,
                                         ChannelId dead) {
  return control_packet(
      packet, now, spec,
      {.is_fault = true, .way = packet.way, .destination = packet.destination, .value = dead.value()});
}

}  // namespace faultline::cut_through::plain
