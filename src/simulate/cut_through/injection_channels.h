// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "simulate/cut_through/buffer_state.h"
#include "simulate/cut_through/outbox.h"
#include "simulate/cut_through/port_sets.h"
#include "simulate/injection/injection_process.h"

namespace faultline::cut_through {

/// The channels of terminals, one port per virtual channel: when they are free, and which packets start on
/// them.
class InjectionChannels {
 public:
  InjectionChannels(const Topology& topology, const InjectionProcess& injection, BufferState& network,
                    Outbox& outbox)
      : topology_(topology),
        injection_(injection),
        network_(network),
        outbox_(outbox),
        may_fail_(!network.outages.of_terminals().empty()) {}

 protected:
  /// From when on `port` is free to take one more packet.
  Time port_time(TerminalId terminal, unsigned port) {
    const std::uint32_t index = network_.first_injector[terminal.index()] + port;
    return std::max(*network_.free_of_injector(index), network_.injectors[index].sent);
  }

  /// Those of `among` that are free.
  TerminalPorts free_ports(TerminalId terminal, TerminalPorts among, Time now) {
    TerminalPorts free = 0;
    for (const std::uint32_t port : ports_of(among))
      if (port_time(terminal, port) <= now) free |= bit(port);
    return free;
  }

  std::uint32_t free_slots(TerminalId terminal, unsigned port, Time now) {
    const Time* const levels = network_.free_of_injector(network_.first_injector[terminal.index()] + port);
    std::uint32_t free = 0;
    for (std::uint32_t level = 0; level < network_.slots_per_input; ++level)
      free += levels[level] <= now ? 1U : 0U;
    return free;
  }

  /// A packet starts on the virtual channel of a port.
  void enter(TerminalId terminal, unsigned port, PacketId id, Time now) {
    const std::uint32_t first = network_.first_injector[terminal.index()];
    const std::uint32_t index = first + port;
    Injector& injector = network_.injectors[index];
    Packet& packet = network_.packets[id];
    if (network_.traffic.any()) network_.packets.header(id).entered = now;
    const bool is_control = packet.is_control();
    const auto flits = is_control ? static_cast<std::uint32_t>(network_.traffic.control_flits)
                                  : injection_.flits(TerminalId(packet.source), packet.sequence);
    if (!is_control) injector.flits += flits;
    for (std::uint32_t vc = 0; vc < network_.vcs; ++vc)
      network_.injectors[first + port - network_.vc_of_port[port] + vc].sent = now + static_cast<Time>(flits);
    if (!network_.is_lane(port)) {
      Time* const levels = network_.free_of_injector(index);
      for (std::uint32_t level = 1; level < network_.slots_per_input; ++level)
        levels[level - 1] = levels[level];
      levels[network_.slots_per_input - 1] = never;
      ++injector.unknown;
    }
    if (may_fail_ && is_lost(terminal, port, now, static_cast<Time>(flits))) packet.lose();
    outbox_.send(Forward{injector.target, id, now});
  }

  /// Without input buffers the next switch reports this, when it takes the packet off the channel.
  [[nodiscard]] bool is_lost(TerminalId terminal, unsigned port, Time now, Time flits) const {
    const ChannelId channel = topology_.injection(terminal)[port / network_.vcs];
    const auto fly = static_cast<Time>(topology_.fly_cycles(channel));
    return network_.timing.buffers != Buffering::output &&
           network_.outages.loses(channel, now, now + fly + flits);
  }

  const Topology& topology_;
  const InjectionProcess& injection_;
  BufferState& network_;
  Outbox& outbox_;

 private:
  bool may_fail_;  ///< one of them, at some time of the run
};

}  // namespace faultline::cut_through
