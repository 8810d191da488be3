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
    return std::max(*network_.free_of_injector(index), network_.sent_by_channel_of(index, port));
  }
  /// The first cycle, not before `earliest`, in which one of `among` is; `never` if there is none.
  Time first_port_time(TerminalId terminal, TerminalPorts among, Time earliest) {
    if (is_single(among)) return std::max(port_time(terminal, lowest(among)), earliest);
    Time least = never;
    for_each_channel(terminal, among, [&](Time sent, std::uint32_t first, TerminalPorts ports) {
      const Time open = std::max(sent, earliest);
      for (const std::uint32_t port : ports_of(ports)) {
        least = std::min(least, std::max(*network_.free_of_injector(first + port), open));
        if (least <= open) break;
      }
    });
    return least;
  }

  /// Those of `among` that are free to take `level` + 1 more packets.
  TerminalPorts free_ports(TerminalId terminal, TerminalPorts among, Time now, std::uint32_t level = 0) {
    TerminalPorts free = 0;
    for_each_channel(terminal, among, [&](Time sent, std::uint32_t first, TerminalPorts ports) {
      if (sent > now) return;
      for (const std::uint32_t port : ports_of(ports))
        free |= TerminalPorts{network_.free_of_injector(first + port)[level] <= now} << port;
    });
    return free;
  }
  /// Of those that are free, the ones with most free slots.
  TerminalPorts freest_ports(TerminalId terminal, TerminalPorts among, Time now) {
    for (std::uint32_t level = network_.slots_per_input - 1; level != 0; --level)
      if (const TerminalPorts free = free_ports(terminal, among, now, level); free != 0) return free;
    return free_ports(terminal, among, now);
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
    const std::uint32_t index = network_.first_injector[terminal.index()] + port;
    Injector& injector = network_.injectors[index];
    Packet& packet = network_.packets[id];
    if (network_.traffic.any()) network_.packets.header(id).entered = now;
    const bool is_control = packet.is_control();
    const auto flits = is_control ? static_cast<std::uint32_t>(network_.traffic.control_flits)
                                  : injection_.flits(TerminalId(packet.source), packet.sequence);
    injector.flits += flits;
    network_.sent_by_channel_of(index, port) = now + static_cast<Time>(flits);
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

  [[nodiscard]] ChannelId channel_of(TerminalId terminal, unsigned port) const {
    return topology_.injection(terminal)[port / network_.vcs];
  }
  /// Without input buffers the next switch reports this, when it takes the packet off the channel.
  [[nodiscard]] bool is_lost(TerminalId terminal, unsigned port, Time now, Time flits) const {
    const ChannelId channel = channel_of(terminal, port);
    const auto fly = static_cast<Time>(topology_.fly_cycles(channel));
    return network_.timing.buffers != Buffering::output &&
           network_.outages.loses(channel, now, now + fly + flits);
  }

  const Topology& topology_;
  const InjectionProcess& injection_;
  BufferState& network_;
  Outbox& outbox_;

 private:
  /// visit(from when on the channel takes the next packet, the terminal's first injector, those of `among`
  /// that are virtual channels of it) for each channel that has any.
  template <class Visit>
  void for_each_channel(TerminalId terminal, TerminalPorts among, Visit visit) {
    const std::uint32_t first = network_.first_injector[terminal.index()];
    while (among != 0) {
      const std::uint32_t port = lowest(among);
      const TerminalPorts ports = among & first_ports(network_.vcs) << (port - network_.vc_of_port[port]);
      visit(network_.sent_by_channel_of(first + port, port), first, ports);
      among &= ~ports;
    }
  }

  bool may_fail_;  ///< one of them, at some time of the run
};

}  // namespace faultline::cut_through
