// SPDX-License-Identifier: Apache-2.0
// Control packets: how they are made of what they answer, and how they are counted.
#pragma once

#include <algorithm>

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

/// Of a packet that asks for `dead`.
[[nodiscard]] inline Packet notification(const Packet& packet, Time now, const SourceAgents& spec,
                                         ChannelId dead) {
  return control_packet(
      packet, now, spec,
      {.is_fault = true, .way = packet.way, .destination = packet.destination, .value = dead.value()});
}

class ControlCounts {
 public:
  void sent(const Packet& packet) {
    ++(packet.news.is_fault ? figures_.notifications : figures_.acknowledgements);
  }
  void lost() { ++figures_.lost; }
  void arrives(const Packet& packet, Time tail) {
    ++figures_.arrived;
    latency_sum_ += static_cast<std::uint64_t>(tail - packet.generated);
  }
  void hops(const Packet& packet) {
    ++figures_.packet_hops;
    figures_.flit_hops += static_cast<std::uint64_t>(packet.flits);
  }
  void reroutes() { ++figures_.rerouted; }
  void stands(std::size_t packets_in_lane) {
    figures_.most_in_a_lane = std::max<std::uint64_t>(figures_.most_in_a_lane, packets_in_lane);
  }

  [[nodiscard]] std::uint64_t gone() const { return figures_.arrived + figures_.lost; }
  [[nodiscard]] std::uint64_t all_sent() const { return figures_.acknowledgements + figures_.notifications; }

  [[nodiscard]] ControlFigures figures() const {
    ControlFigures figures = figures_;
    if (figures.arrived != 0)
      figures.latency_mean = static_cast<double>(latency_sum_) / static_cast<double>(figures.arrived);
    return figures;
  }

 private:
  ControlFigures figures_;
  std::uint64_t latency_sum_ = 0;
};

}  // namespace faultline::cut_through::plain
