// SPDX-License-Identifier: Apache-2.0
// What switches do in a cycle, and what comes of it at their outputs and inputs.
#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <vector>

#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/fabric_view.h"
#include "simulate/cut_through/outbox.h"

namespace faultline::cut_through {

/// Those of one region.
template <class Scan, std::uint32_t Ports, bool Plain>
class Switches : protected FabricView<Ports, Plain> {
  using View = FabricView<Ports, Plain>;

 public:
  Switches(const View& view, Chooser& chooser, Measurement& measurement, EventWheel& wheel, PacketPool& pool,
           Outbox& outbox)
      : View(view),
        chooser_(chooser),
        measurement_(measurement),
        wheel_(wheel),
        pool_(pool),
        outbox_(outbox) {}

 protected:
  using View::candidates_at;
  using View::credit_delay;
  using View::ejection_has_places;
  using View::fabric_;
  using View::first_sibling;
  using View::flits_of;
  using View::free_from;
  using View::free_when_credited;
  using View::has_rings;
  using View::has_vcs;
  using View::input_places;
  using View::places;
  using View::siblings;
  using View::slots;

  /// All that a switch does in one cycle. Heads that want nothing that can be had are not asked.
  [[gnu::flatten]] void visit(std::uint32_t at, Switch& entry, Time now) {
    if (!Plain && entry.open != 0) pick_options(at, entry, now);
    const Sight sight = look(at, now);
    Meeting left{sight.ready, sight.meeting, sight.available};
    if ((sight.ready & entry.stuck) != 0) [[unlikely]]
      discard_stuck(at, sight.ready & entry.stuck, left, now);
    if (is_single(left.asking))
      serve_only(at, left, now);
    else if (left.asking != 0)
      match(at, left, now);
    wait(at, entry, left.blocked, now);
  }

  /// For heads that have been routed by now, all by the queues as they are before anything is granted.
  [[gnu::noinline]] void pick_options(std::uint32_t at, Switch& entry, Time now) {
    const Sight sight = look(at, now);
    const std::uint64_t waiting = look(at, now - 1).ready;
    std::uint64_t heads = sight.ready & entry.open;
    entry.open &= ~heads;
    for (; heads != 0; heads &= heads - 1) {
      const std::uint32_t index = at * Ports + static_cast<std::uint32_t>(std::countr_zero(heads));
      Packet& packet = fabric_.packets[packet_at(index)];
      const Choice choice = chooser_.pick_output(
          at, index, packet, [&](std::uint64_t ports) { return queued(at, ports, waiting, now); });
      fabric_.set_candidates(index, choice.ports);
      packet.tag = choice.tag;
    }
  }

  /// Places taken in the buffers of the ports, and heads that have waited for these longer than since now.
  /// While a channel is being written to, so is one place of each of its buffers.
  std::uint32_t queued(std::uint32_t at, std::uint64_t ports, std::uint64_t waiting, Time now) {
    std::uint32_t packets = 0;
    for (; waiting != 0; waiting &= waiting - 1)
      packets += cut_through::count(
          fabric_.candidates_of(at * Ports + static_cast<std::uint32_t>(std::countr_zero(waiting))) & ports);
    for (; ports != 0; ports &= ports - 1)
      for (std::uint32_t level = 0; level < places(); ++level)
        packets += free_from(at, level)[std::countr_zero(ports)] > now ? 1U : 0U;
    return packets;
  }

  Sight look(std::uint32_t at, Time now) {
    return Scan::template look<Ports>(&fabric_.eligible[at * Ports], free_from(at, 0), candidates_at(at),
                                      now);
  }

  /// What is left of a cycle: inputs whose heads are blocked, those of them that ask, outputs that can be
  /// had.
  struct Meeting {
    std::uint64_t blocked, asking, available;
  };

  /// Heads that are offered nothing go; at most one an input.
  void discard_stuck(std::uint32_t at, std::uint64_t stuck, Meeting& left, Time now) {
    while (stuck != 0) {
      const auto head = static_cast<std::uint32_t>(std::countr_zero(stuck));
      discard(at, at * Ports + head, now);
      take_input(head, left);
      stuck &= ~siblings(head);
    }
  }

  void take_input(std::uint32_t head, Meeting& left) {
    left.blocked &= ~siblings(head);
    left.asking &= ~siblings(head);
  }

  void serve_only(std::uint32_t at, Meeting& left, Time now) {
    const auto head = static_cast<std::uint32_t>(std::countr_zero(left.asking));
    const std::uint64_t possible = possible_outputs(at, head, left.available, now);
    if (possible == 0) return;
    serve<true>(at, head, output_port(at, at * Ports + head, possible, now), left, now);
  }

  /// Rounds of requests, grants and acceptances (model.h).
  void match(std::uint32_t at, Meeting& left, Time now) {
    match_once<true>(at, left, now);
    while (left.asking != 0) match_once<false>(at, left, now);
  }

  /// Leaves those asking that could still have something. With one virtual channel a grant is accepted.
  template <bool First>
  void match_once(std::uint32_t at, Meeting& left, Time now) {
    Requests requests;
    std::uint64_t asked = request(at, left, requests, now);
    if (has_vcs()) asked = accept(at, asked, requests, now);
    for (; asked != 0; asked &= asked - 1) {
      const std::uint32_t head = requests.head[std::countr_zero(asked)];
      serve<First>(at, head, requests.port[head], left, now);
    }
  }

  struct Requests {
    std::uint8_t head[Ports];  ///< by the first port of an output channel: the input that it grants
    std::uint8_t port[Ports];  ///< by input: what its head asks for
  };

  /// Heads ask for outputs, and output channels grant. Returns the first ports of the channels that were
  /// asked for; heads that could have nothing no longer ask.
  std::uint64_t request(std::uint32_t at, Meeting& left, Requests& requests, Time now) {
    std::uint64_t asked = 0;
    for (std::uint64_t heads = left.asking; heads != 0; heads &= heads - 1) {
      const auto head = static_cast<std::uint32_t>(std::countr_zero(heads));
      const std::uint64_t possible = possible_outputs(at, head, left.available, now);
      if (possible == 0) {
        left.asking &= ~bit(head);
        continue;
      }
      const std::uint32_t port = output_port(at, at * Ports + head, possible, now);
      const std::uint32_t channel = first_sibling(at * Ports + port) % Ports;
      requests.port[head] = static_cast<std::uint8_t>(port);
      if ((asked & bit(channel)) == 0 || goes_before(at, channel, head, requests.head[channel], now))
        requests.head[channel] = static_cast<std::uint8_t>(head);
      asked |= bit(channel);
    }
    return asked;
  }

  bool goes_before(std::uint32_t at, std::uint32_t channel, std::uint32_t a, std::uint32_t b, Time now) {
    const auto rank = [&](std::uint32_t head) {
      return fabric_.output_arbiters.rank(at * Ports + channel, head, fabric_.packets,
                                          packet_at(at * Ports + head), now);
    };
    return rank(a) < rank(b);
  }

  /// Of several virtual channels of an input that were granted something one accepts. Returns the output
  /// channels whose grants are accepted.
  std::uint64_t accept(std::uint32_t at, std::uint64_t granting, const Requests& requests, Time now) {
    std::uint64_t accepted = 0, inputs = 0;
    std::uint8_t chosen[Ports];  // by the first virtual channel of an input: the output channel
    for (; granting != 0; granting &= granting - 1) {
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(granting));
      const std::uint32_t head = requests.head[channel], input = first_sibling(at * Ports + head) % Ports;
      const auto rank = [&](std::uint32_t granted) {
        return fabric_.input_arbiters.rank(at * Ports + input, granted - input, fabric_.packets,
                                           packet_at(at * Ports + granted), now);
      };
      if ((inputs & bit(input)) != 0) {
        if (rank(requests.head[chosen[input]]) < rank(head)) continue;
        accepted &= ~bit(chosen[input]);
      }
      chosen[input] = static_cast<std::uint8_t>(channel);
      inputs |= bit(input);
      accepted |= bit(channel);
    }
    return accepted;
  }

  PacketId packet_at(std::uint32_t index) {
    Input& input = fabric_.inputs[index];
    return slots(index, input)[input.head].packet;
  }

  std::uint64_t possible_outputs(std::uint32_t at, std::uint32_t head, std::uint64_t available, Time now) {
    const std::uint32_t input = at * Ports + head;
    std::uint64_t possible = fabric_.candidates_of(input) & available;
    if (has_rings()) possible &= ~without_bubble(at, input, now);
    return possible;
  }

  template <bool Learns>
  void serve(std::uint32_t at, std::uint32_t head, std::uint32_t port, Meeting& left, Time now) {
    grant(at, at * Ports + head, port, now);
    take_input(head, left);
    left.available &= ~siblings(port);
    if (!Learns) return;
    fabric_.output_arbiters.served(first_sibling(at * Ports + port), head, now);
    if (!has_vcs()) return;
    const std::uint32_t input = first_sibling(at * Ports + head);
    fabric_.input_arbiters.served(input, at * Ports + head - input, now);
  }

  /// Until a head becomes eligible, or an output that a blocked one wants can be had.
  void wait(std::uint32_t at, Switch& entry, std::uint64_t blocked, Time now) {
    entry.wanted = entry.entered = 0;
    if (blocked != 0) {
      if (has_rings())
        find_wanted(at, entry, blocked);
      else
        entry.wanted = Scan::template wanted<Ports>(candidates_at(at), blocked);
    }
    entry.next =
        Scan::template next<Ports>(&fabric_.eligible[at * Ports], now, free_from(at, 0), entry.wanted);
    for (std::uint64_t ports = entry.entered; ports != 0; ports &= ports - 1)
      entry.next = std::min(entry.next, two_free(at, static_cast<std::uint32_t>(std::countr_zero(ports))));
  }

  void find_wanted(std::uint32_t at, Switch& entry, std::uint64_t blocked) {
    for (; blocked != 0; blocked &= blocked - 1) {
      const std::uint32_t input = at * Ports + static_cast<std::uint32_t>(std::countr_zero(blocked));
      const std::uint64_t wanted = fabric_.candidates_of(input), entered = fabric_.into_rings[input];
      entry.wanted |= wanted & ~entered;
      entry.entered |= wanted & entered;
    }
  }

  /// The outputs with which the head of `input` would take the last free place of a ring.
  std::uint64_t without_bubble(std::uint32_t at, std::uint32_t input, Time now) {
    const std::uint64_t entered = fabric_.candidates_of(input) & fabric_.into_rings[input];
    return entered == 0 ? 0 : entered & ~Scan::template due<Ports>(free_from(at, 1), now);
  }

  Time two_free(std::uint32_t at, std::uint32_t port) {
    return std::max(free_from(at, 0)[port], free_from(at, 1)[port]);
  }

  std::uint32_t output_port(std::uint32_t at, std::uint32_t input, std::uint64_t possible, Time now) {
    if (chooser_.by_free_places())
      for (std::uint32_t level = places() - 1; level > 0 && !is_single(possible); --level) {
        const std::uint64_t freest = possible & Scan::template due<Ports>(free_from(at, level), now);
        if (freest == 0) continue;
        possible = freest;
        break;
      }
    if (fabric_.inputs[input].by_option) return option_port(at, input, possible, now);
    if (is_single(possible)) return static_cast<std::uint32_t>(std::countr_zero(possible));
    return Chooser::drawn_port(possible, fabric_.inputs[input].tie);
  }

  /// The same where the port does not say which option it is. The packet keeps its tag until it is granted.
  [[gnu::noinline]] std::uint32_t option_port(std::uint32_t at, std::uint32_t index, std::uint64_t possible,
                                              Time now) {
    const Packet& packet = fabric_.packets[packet_at(index)];
    const Taken taken = chooser_.take_output(at, index, packet, possible, [&](unsigned port) {
      std::uint32_t free = 1;  // it is available
      for (std::uint32_t level = 1; level < places(); ++level)
        free += free_from(at, level)[port] <= now ? 1U : 0U;
      return free;
    });
    option_tags_[index % Ports] = taken.tag;
    return taken.port;
  }

  void grant(std::uint32_t at, std::uint32_t index, std::uint32_t port, Time now) {
    Input& input = fabric_.inputs[index];
    const PacketId packet = slots(index, input)[input.head].packet;
    if (input.by_option) [[unlikely]]
      fabric_.packets[packet].tag = option_tags_[index % Ports];
    const Time flits = flits_of(packet);
    leave(at, index, input, now, flits);
    const std::uint32_t out = at * Ports + port;
    count(out, flits);
    Output& output = fabric_.outputs[out];
    take_place(at, port, output, now + flits);
    const Time ready = now + fabric_.timing.crossbar;
    Slot* const ring = slots(out, output);
    if (output.target >= Output::ejects)
      eject(at, port, output, packet, ready, flits);
    else if (output.credits != 0) {
      const Time place = ring[output.head].time;
      output.head = next_in_ring(output.head, places());
      --output.credits;
      start_channel(at, port, output, {packet, ready}, place);
    } else
      ring[in_ring(output.head + std::uint32_t{output.waiting++}, places())] = {packet, ready};
  }

  void count(std::uint32_t output, Time flits) {
    ++packet_hops_;
    flit_hops_ += static_cast<std::uint64_t>(flits);
    if (!Plain && !fabric_.output_flits.empty())
      fabric_.output_flits[output] += static_cast<std::uint64_t>(flits);
  }

  /// The head of an input starts to leave it.
  void leave(std::uint32_t at, std::uint32_t index, Input& input, Time now, Time flits) {
    const Time read = now + flits;
    input.head = next_in_ring(input.head, input_places());
    outbox_.send(Credit{input.sender, now + credit_delay(flits, input.fly_less_one + 1)});
    fabric_.inputs[first_sibling(index)].read = read;
    input.count = (input.count - 1U) & 0x7fU;
    if (input.count != 0) {
      const Slot next = slots(index, input)[input.head];
      fabric_.eligible[index] = std::max(next.time, read);
      route_head(at, index, input, fabric_.packets[next.packet]);
    } else {
      fabric_.eligible[index] = never;
      fabric_.set_candidates(index, 0);
    }
    if (has_vcs()) delay_siblings(first_sibling(index), read);
  }

  /// The other virtual channels of an input take turns with it.
  void delay_siblings(std::uint32_t first, Time read) {
    for (std::uint32_t sibling = first; sibling < first + fabric_.vcs; ++sibling)
      fabric_.eligible[sibling] = std::max(fabric_.eligible[sibling], read);
  }

  /// The relation offers the head nothing: it leaves, and goes nowhere.
  [[gnu::noinline]] void discard(std::uint32_t at, std::uint32_t index, Time now) {
    measurement_.dropped(now, chooser_.came_over_dead(index) ? Drop::dead_channel : Drop::stuck);
    Input& input = fabric_.inputs[index];
    fabric_.switches[at].stuck &= ~bit(index % Ports);
    const PacketId packet = slots(index, input)[input.head].packet;
    leave(at, index, input, now, flits_of(packet));
    pool_.release(packet);
  }

  // ---- outputs

  /// A packet is written into the buffer of an output until `written`; meanwhile no other virtual channel of
  /// that channel takes one.
  void take_place(std::uint32_t at, std::uint32_t port, Output& output, Time written) {
    Time* const first = free_from(at, 0);
    if (output.target < Output::ejects || ejection_has_places()) {
      Time* level = first + port;
      for (std::uint32_t above = 1; above < places(); ++above, level += Ports) *level = level[Ports];
      *level = never;
      ++output.unknown;
    }
    fabric_.outputs[first_sibling(at * Ports + port)].written = written;
    if (has_vcs())
      for (std::uint64_t all = siblings(port); all != 0; all &= all - 1)
        first[std::countr_zero(all)] = std::max(first[std::countr_zero(all)], written);
    else
      first[port] = std::max(first[port], written);
  }

  /// It becomes known from when on the oldest place of which it was not known is free. Returns true when a
  /// head may have waited for that: when no other is free, or no two that it takes to enter a ring.
  bool free_place(std::uint32_t at, std::uint32_t port, Output& output, Time free) {
    const std::uint32_t level = places() - output.unknown--;
    if (level == 0) free = std::max(free, fabric_.outputs[first_sibling(at * Ports + port)].written);
    free_from(at, level)[port] = free;
    return level <= (has_rings() ? 1U : 0U);
  }

  void eject(std::uint32_t at, std::uint32_t port, Output& output, PacketId id, Time ready, Time flits) {
    output.sent = std::max(ready, output.sent) + flits;
    if (ejection_has_places()) free_place(at, port, output, output.sent);
    const Time tail = output.sent + static_cast<Time>(output.target - Output::ejects);
    landing_.push_back(tail);
    const Packet& packet = fabric_.packets[id];
    if (packet.destination != output.near[0].packet) [[unlikely]]
      chooser_.refuse_ejection(at, packet);
    if (chooser_.ejects_onto_dead(at, port)) [[unlikely]]
      measurement_.dropped(tail, Drop::dead_channel);
    else
      measurement_.delivered({.source = packet.source,
                              .sequence = packet.sequence,
                              .destination = packet.destination,
                              .generated = packet.generated,
                              .injected = packet.injected,
                              .delivered = tail,
                              .hops = packet.hops,
                              .flits = static_cast<std::uint32_t>(flits)});
    pool_.release(id);
  }

  /// `place` is free at the receiver from then on. Returns true when the output's only free place became
  /// known.
  bool start_channel(std::uint32_t at, std::uint32_t port, Output& output, Slot waiting, Time place) {
    const Time start = std::max({waiting.time, output.sent, place});
    output.sent = start + flits_of(waiting.packet);
    outbox_.send(Forward{output.target, waiting.packet, start});
    return !free_when_credited() && free_place(at, port, output, output.sent);
  }

  void credit_output(std::uint32_t index, Time place) {
    Output& output = fabric_.outputs[index];
    const std::uint32_t at = index / Ports, port = index % Ports;
    bool opened = free_when_credited() && free_place(at, port, output, place);
    Slot* const ring = slots(index, output);
    if (output.waiting != 0) {
      const Slot waiting = ring[output.head];
      output.head = next_in_ring(output.head, places());
      --output.waiting;
      opened |= start_channel(at, port, output, waiting, place);
    } else
      ring[in_ring(output.head + std::uint32_t{output.credits++}, places())].time = place;
    if (opened) wake(at, port);
  }

  void wake(std::uint32_t at, std::uint32_t port) {
    Switch& entry = fabric_.switches[at];
    if (((entry.wanted | entry.entered) & bit(port)) == 0) return;
    const Time free = (entry.wanted & bit(port)) != 0 ? free_from(at, 0)[port] : two_free(at, port);
    schedule(at, entry, free);
  }

  void schedule(std::uint32_t at, Switch& entry, Time time) {
    if (time >= entry.next) return;
    entry.next = time;
    wheel_.schedule(at, time);
  }

  // ---- inputs

  void arrive(const Forward& forward) {
    const std::uint32_t index = forward.input;
    Input& input = fabric_.inputs[index];
    if (input.count == input_places())
      throw std::logic_error("cut-through: an input holds more than it has places");
    const Time routed = forward.start + input.fly_less_one + 1 + fabric_.timing.routing;
    const std::uint32_t last = in_ring(std::uint32_t{input.head} + input.count, input_places());
    slots(index, input)[last] = {forward.packet, routed};
    input.count = (input.count + 1U) & 0x7fU;
    if (input.count != 1) return;
    const std::uint32_t at = index / Ports;
    const Time eligible = std::max(routed, fabric_.inputs[first_sibling(index)].read);
    fabric_.eligible[index] = eligible;
    route_head(at, index, input, fabric_.packets[forward.packet]);
    schedule(at, fabric_.switches[at], eligible);
  }

  /// At once, because the options do not depend on the cycle.
  void route_head(std::uint32_t at, std::uint32_t index, Input& input, Packet& packet) {
    const Choice choice = chooser_.output(at, index, packet);
    fabric_.set_candidates(index, choice.ports);
    input.by_option = choice.by_option && !choice.open ? 1 : 0;
    if (!is_single(choice.ports)) input.tie = chooser_.draw_tie(packet, at);
    if (!choice.by_option && !choice.open) packet.tag = choice.tag;
    ++packet.hops;
    if (!Plain && choice.open) fabric_.switches[at].open |= bit(index % Ports);
    if (choice.ports == 0) [[unlikely]]
      fabric_.switches[at].stuck |= bit(index % Ports);
  }

  std::uint64_t packet_hops_ = 0, flit_hops_ = 0;
  std::vector<Time> landing_;  ///< tails on their way to terminals, and those that arrived since the last bin

 private:
  Tag option_tags_[Ports] = {};  ///< by input: with the option that its head has asked for
  Chooser& chooser_;
  Measurement& measurement_;
  EventWheel& wheel_;
  PacketPool& pool_;
  Outbox& outbox_;
};

}  // namespace faultline::cut_through
