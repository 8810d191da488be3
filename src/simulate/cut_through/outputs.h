// SPDX-License-Identifier: Apache-2.0
// What a granted packet does at an output of a switch: it takes a slot, starts on the channel, and comes out.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/control_packets.h"
#include "simulate/cut_through/lost_packets.h"
#include "simulate/cut_through/network_view.h"
#include "simulate/cut_through/outbox.h"

namespace faultline::cut_through {

/// Those of one region.
template <std::uint32_t Ports, Shape shape>
class Outputs : protected NetworkView<Ports, shape> {
  using View = NetworkView<Ports, shape>;

 protected:
  using Set = PortSet<Ports>;

 public:
  Outputs(const View& view, Chooser<Set>& chooser, Measurement& measurement, PacketPool& pool, Outbox& outbox)
      : View(view),
        chooser_(chooser),
        control_(network_, chooser, measurement, pool, outbox),
        measurement_(measurement),
        pool_(pool),
        outbox_(outbox) {}

  [[nodiscard]] const ControlPackets<Set>& control() const { return control_; }

 protected:
  using View::ejection_has_slots;
  using View::first_sibling;
  using View::flits_of;
  using View::free_from;
  using View::free_when_credited;
  using View::has_headers;
  using View::has_rings;
  using View::has_vcs;
  using View::is_common;
  using View::is_lane;
  using View::learns;
  using View::network_;
  using View::slots;
  using View::slots_per_output;
  using View::starts_at_once;

  /// The packet is written into the channel until `written`.
  void start_at_once(std::uint32_t at, std::uint32_t port, PacketId id, Time ready, Time written) {
    const std::uint32_t out = at * Ports + port;
    OutputChannel& channel = network_.output_channel(at, port);
    const Time flits = flits_of(id);
    const Time start = between_outages(at, port, ready, id, flits);
    if (channel.target < Output::ejects) {
      take_level(at, port, written);
      ++network_.unknown[out];
      channel.written = written;
      outbox_.send(Forward{channel.target + network_.vc_of_port[port], id, start});
    } else {
      occupy_channel(at, port, written);
      come_out(at, port, TerminalId(channel.target - Output::ejects), id, start + flits + channel.written,
               flits);
    }
  }

  void count(std::uint32_t output, PacketId packet, Time flits) {
    if (!is_common && !network_.output_flits.empty())
      network_.output_flits[output] += static_cast<std::uint64_t>(flits);
    if (learns() && network_.packets[packet].is_control()) return control_.counts.hops(flits);
    ++packet_hops_;
    flit_hops_ += static_cast<std::uint64_t>(flits);
  }

  /// A packet is written into the buffer of an output until `written`; meanwhile no other virtual channel of
  /// that channel takes one.
  void take_slot(std::uint32_t at, std::uint32_t port, Output& output, Time written) {
    if ((output.target < Output::ejects || ejection_has_slots()) && !is_lane(port)) {
      take_level(at, port, written);
      ++output.unknown;
    } else {
      occupy_channel(at, port, written);
    }
    network_.outputs[at * Ports + first_sibling(port)].written = written;
  }
  void take_level(std::uint32_t at, std::uint32_t port, Time written) {
    occupy_channel(at, port, written);
    Time* level = free_from(at, 0) + port;
    for (std::uint32_t above = 1; above < slots_per_output(); ++above, level += Ports) *level = level[Ports];
    *level = never;
    Time& first = free_from(at, 0)[port];
    first = std::max(first, written);
  }
  void occupy_channel(std::uint32_t at, std::uint32_t port, Time written) {
    Time* const free = free_from(at, 0) + first_sibling(port);
    delay(free, has_vcs() ? network_.vcs : 1U, written);
  }

  /// Records when the oldest slot whose release was unknown becomes free. Returns true if a head may have
  /// waited for that: if no other slot is free or, for entering a ring, no two.
  bool free_slot(std::uint32_t at, std::uint32_t port, std::uint8_t& unknown, Time free) {
    const std::uint32_t level = slots_per_output() - unknown--;
    if (level == 0) free = std::max(free, written_until(at, port));
    free_from(at, level)[port] = free;
    return level <= (has_rings() ? 1U : 0U);
  }

  Time written_until(std::uint32_t at, std::uint32_t port) {
    return starts_at_once ? network_.output_channel(at, port).written
                          : network_.outputs[at * Ports + first_sibling(port)].written;
  }

  void eject(std::uint32_t at, std::uint32_t port, Output& output, PacketId id, Time ready, Time flits) {
    const Time start = between_outages(at, port, std::max(ready, output.sent), id, flits);
    if (start == never) return drop_unsent(at, port, output, {id, ready});
    output.sent = start + flits;
    if (ejection_has_slots()) free_slot(at, port, output.unknown, output.sent);
    come_out(at, port, TerminalId(output.near[0].packet), id,
             output.sent + static_cast<Time>(output.target - Output::ejects), flits);
  }

  /// A packet's tail reaches a terminal.
  void come_out(std::uint32_t at, std::uint32_t port, TerminalId terminal, PacketId id, Time tail,
                Time flits) {
    using Arrival = typename ControlPackets<Set>::Arrival;
    const Arrival arrival = has_headers()
                                ? control_.arrives(id, terminal, chooser_.ejects_onto_dead(at, port), tail)
                                : Arrival::of_data;
    if (arrival == Arrival::taken) return;
    landing_.push_back(tail);
    const Packet& packet = network_.packets[id];
    if (arrival == Arrival::of_data && packet.destination != terminal.value() &&
        !(has_headers() && network_.packets.header(id).out)) [[unlikely]]
      chooser_.refuse_ejection(at, packet);
    if (arrival == Arrival::without_a_path) [[unlikely]]
      measurement_.dropped(tail, Drop::unreachable);
    else if (packet.is_lost()) [[unlikely]]
      measurement_.dropped(tail, Drop::link_failed);
    else if (chooser_.ejects_onto_dead(at, port)) [[unlikely]]
      measurement_.dropped(tail, Drop::dead_channel);
    else {
      measurement_.delivered({.source = packet.source,
                              .sequence = packet.sequence,
                              .destination = packet.destination,
                              .generated = packet.generated,
                              .injected = packet.injected,
                              .delivered = tail,
                              .hops = packet.hops,
                              .flits = static_cast<std::uint32_t>(flits)});
      if (learns()) control_.acknowledge(id, tail);
    }
    pool_.release(id);
  }

  /// A slot of the receiver is free from `slot_free` on. Returns true if it is the output's only known free
  /// slot, for which a head may wait.
  bool start_channel(std::uint32_t at, std::uint32_t port, Output& output, Slot waiting, Time slot_free) {
    const Time flits = flits_of(waiting.packet);
    const Time start =
        between_outages(at, port, std::max({waiting.time, output.sent, slot_free}), waiting.packet, flits);
    if (start == never) [[unlikely]] {
      drop_unsent(at, port, output, waiting);
      drop_waiting(at, port);
      keep_credit(at * Ports + port, output, slot_free);
      return false;
    }
    output.sent = start + flits;
    outbox_.send(Forward{output.target, waiting.packet, start});
    return !free_when_credited() && free_slot(at, port, output.unknown, output.sent);
  }

  /// A slot of the receiver is free from `slot_free` on, and no packet waits for it.
  void keep_credit(std::uint32_t index, Output& output, Time slot_free) {
    const std::uint32_t last = in_ring(output.head + std::uint32_t{output.credits++}, slots_per_output());
    slots(index, output)[last].time = slot_free;
  }

  /// When a packet that could start at `start` starts.
  Time between_outages(std::uint32_t at, std::uint32_t port, Time start, PacketId id, Time flits) {
    if (!network_.switches[at].changes) [[likely]]
      return start;
    if (!contains(network_.failing[at].goes_down, port)) return start;
    return start_on_failing_channel(network_, chooser_.topology(), at * Ports + port, start, id, flits);
  }

  // ---- channels that go down for good

  /// A packet in the buffer of an output whose channel goes down for good before the packet can start.
  [[gnu::noinline]] void drop_unsent(std::uint32_t at, std::uint32_t port, Output& output, Slot unsent) {
    const ChannelId channel = chooser_.topology().outputs(SwitchId(at))[port / network_.vcs];
    const Time dropped = std::max(unsent.time, network_.outages.down_for_good_from(channel));
    landing_.push_back(dropped);
    measurement_.dropped(dropped, why_stuck(network_.packets[unsent.packet].is_lost(), false));
    if (output.target < Output::ejects || ejection_has_slots()) free_slot(at, port, output.unknown, dropped);
    pool_.release(unsent.packet);
  }
  void drop_waiting(std::uint32_t at, std::uint32_t port) {
    const std::uint32_t index = at * Ports + port;
    Output& output = network_.outputs[index];
    for (; output.waiting != 0; --output.waiting) {
      drop_unsent(at, port, output, slots(index, output)[output.head]);
      output.head = next_in_ring(output.head, slots_per_output());
    }
  }

  /// From now on none of these times is before `least`. Eight of them without a loop, which took 1 % of a
  /// run.
  static void delay(Time* times, std::uint32_t count, Time least) {
    if (count == 8) {
      for (std::uint32_t i = 0; i < 8; ++i) times[i] = std::max(times[i], least);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) times[i] = std::max(times[i], least);
  }

  std::uint64_t packet_hops_ = 0, flit_hops_ = 0;
  std::vector<Time> landing_;  ///< tails on their way to terminals, and those that arrived since the last bin
  Chooser<Set>& chooser_;
  ControlPackets<Set> control_;
  Measurement& measurement_;
  PacketPool& pool_;
  Outbox& outbox_;
};

}  // namespace faultline::cut_through
