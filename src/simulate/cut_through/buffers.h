// SPDX-License-Identifier: Apache-2.0
// The effects of a grant at the outputs and inputs of switches.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/control_packets.h"
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/lost_packets.h"
#include "simulate/cut_through/network_view.h"
#include "simulate/cut_through/outbox.h"

namespace faultline::cut_through {

/// Those of one region.
template <std::uint32_t Ports, Shape shape>
class Buffers : protected NetworkView<Ports, shape> {
  using View = NetworkView<Ports, shape>;

 protected:
  using Set = PortSet<Ports>;

 public:
  Buffers(const View& view, Chooser<Set>& chooser, Measurement& measurement, EventWheel& wheel,
          PacketPool& pool, Outbox& outbox)
      : View(view),
        chooser_(chooser),
        control_(network_, chooser, pool, outbox),
        measurement_(measurement),
        wheel_(wheel),
        pool_(pool),
        outbox_(outbox),
        loses_what_stands_on_channels_(network_.outages.any() &&
                                       network_.timing.buffers == Buffering::output) {}

  [[nodiscard]] const ControlPackets<Set>& control() const { return control_; }

 protected:
  using View::credit_delay;
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
  using View::read_from;
  using View::siblings;
  using View::slots;
  using View::slots_per_input;
  using View::slots_per_output;
  using View::starts_at_once;

  PacketId packet_at(std::uint32_t index) {
    Input& input = network_.inputs[index];
    return slots(index, input)[input.head].packet;
  }

  void grant(std::uint32_t at, std::uint32_t index, std::uint32_t port, Time now) {
    const std::uint32_t out = at * Ports + port;
    if constexpr (!starts_at_once) prefetch(&network_.outputs[out]);  // needed last
    Input& input = network_.inputs[index];
    const Slot head = slots(index, input)[input.head];
    const PacketId packet = head.packet;
    if (input.by_option) [[unlikely]]
      network_.packets[packet].tag = option_tags_[index % Ports];
    const Time flits = flits_of(packet);
    if (has_headers()) [[unlikely]]
      note_grant(at, index, packet, now);
    if (!is_common && loses_what_stands_on_channels_) lose_if_failed(network_, index, head, now + flits);
    leave(at, index, input, now, flits);
    count(out, packet, flits);
    const Time ready = now + network_.timing.crossbar;
    if constexpr (starts_at_once) return start_at_once(at, port, packet, ready, now + flits);
    Output& output = network_.outputs[out];
    take_slot(at, port, output, now + flits);
    Slot* const ring = slots(out, output);
    if (output.target >= Output::ejects)
      eject(at, port, output, packet, ready, flits);
    else if (is_lane(port))
      start_channel(at, port, output, {packet, ready}, 0);
    else if (output.credits != 0) {
      const Time slot_free = ring[output.head].time;
      output.head = next_in_ring(output.head, slots_per_output());
      --output.credits;
      start_channel(at, port, output, {packet, ready}, slot_free);
    } else
      ring[in_ring(output.head + std::uint32_t{output.waiting++}, slots_per_output())] = {packet, ready};
  }

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

  /// Of a packet that is granted, if sources learn or terminals re-inject packets.
  [[gnu::noinline]] void note_grant(std::uint32_t at, std::uint32_t index, PacketId packet, Time now) {
    if (is_lane(index)) control_.counts.leaves(ready_in_lane(index, now));
    network_.packets.header(packet).out = contains(network_.special[at].out, index % Ports);
  }

  void count(std::uint32_t output, PacketId packet, Time flits) {
    if (learns() && network_.packets[packet].is_control()) return control_.counts.hops(flits);
    ++packet_hops_;
    flit_hops_ += static_cast<std::uint64_t>(flits);
    if (!is_common && !network_.output_flits.empty())
      network_.output_flits[output] += static_cast<std::uint64_t>(flits);
  }

  /// The head of an input starts to leave it.
  void leave(std::uint32_t at, std::uint32_t index, Input& input, Time now, Time flits) {
    const Time read = now + flits;
    if (is_lane(index))
      leave_lane(index, input);
    else {
      input.head = next_in_ring(input.head, slots_per_input());
      outbox_.send(Credit{input.sender, now + credit_delay(flits, input.fly_less_one + 1)});
      input.count = (input.count - 1U) & 0x7fU;
    }
    read_from(index) = read;
    if (has_vcs()) delay_siblings(first_sibling(index), read);
    if (input.count != 0) {
      const Slot next = slots(index, input)[input.head];
      network_.eligible[index] = std::max(next.time, read);
      route_head(at, index, input, network_.packets[next.packet]);
    } else {
      network_.eligible[index] = never;
      network_.forget_candidates(index);
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
  /// The virtual channels of an input take turns.
  void delay_siblings(std::uint32_t first, Time read) {
    delay(&network_.eligible[first], network_.vcs, read);
  }

  /// The relation offers the head nothing: the packet is dropped.
  [[gnu::noinline]] void discard(std::uint32_t at, std::uint32_t index, Time now) {
    Input& input = network_.inputs[index];
    network_.special[at].stuck &= ~port_bit(index);
    const PacketId packet = slots(index, input)[input.head].packet;
    if (learns() && network_.packets[packet].is_control())
      control_.counts.lost();
    else
      measurement_.dropped(now, chooser_.came_over_dead(index) ? Drop::dead_channel : Drop::stuck);
    leave(at, index, input, now, flits_of(packet));
    pool_.release(packet);
  }

  // ---- outputs

  /// A packet is written into the buffer of an output until `written`; meanwhile no other virtual channel of
  /// that channel takes one.
  void take_slot(std::uint32_t at, std::uint32_t port, Output& output, Time written) {
    if ((output.target < Output::ejects || ejection_has_slots()) && !is_lane(port)) {
      take_level(at, port, written);
      ++output.unknown;
    } else {
      occupy_channel(at, port, written);
    }
    network_.outputs[first_sibling(at * Ports + port)].written = written;
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
    Time* const free = free_from(at, 0) + first_sibling(at * Ports + port) % Ports;
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
                          : network_.outputs[first_sibling(at * Ports + port)].written;
  }

  void eject(std::uint32_t at, std::uint32_t port, Output& output, PacketId id, Time ready, Time flits) {
    const Time start = between_outages(at, port, std::max(ready, output.sent), id, flits);
    output.sent = start + flits;
    if (ejection_has_slots()) free_slot(at, port, output.unknown, output.sent);
    come_out(at, port, TerminalId(output.near[0].packet), id,
             output.sent + static_cast<Time>(output.target - Output::ejects), flits);
  }

  /// A packet's tail reaches a terminal.
  void come_out(std::uint32_t at, std::uint32_t port, TerminalId terminal, PacketId id, Time tail,
                Time flits) {
    if (has_headers() && control_.comes_out(id, terminal, chooser_.ejects_onto_dead(at, port), tail)) return;
    landing_.push_back(tail);
    const Packet& packet = network_.packets[id];
    if (packet.destination != terminal.value() && !(has_headers() && network_.packets.header(id).out))
        [[unlikely]]
      chooser_.refuse_ejection(at, packet);
    if (packet.is_lost()) [[unlikely]]
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
  /// slot.
  bool start_channel(std::uint32_t at, std::uint32_t port, Output& output, Slot waiting, Time slot_free) {
    const Time flits = flits_of(waiting.packet);
    const Time start =
        between_outages(at, port, std::max({waiting.time, output.sent, slot_free}), waiting.packet, flits);
    output.sent = start + flits;
    outbox_.send(Forward{output.target, waiting.packet, start});
    return !free_when_credited() && free_slot(at, port, output.unknown, output.sent);
  }

  /// When a packet that could start at `start` starts.
  Time between_outages(std::uint32_t at, std::uint32_t port, Time start, PacketId id, Time flits) {
    if (!network_.switches[at].changes) [[likely]]
      return start;
    if (!contains(network_.failing[at].goes_down, port)) return start;
    return start_on_failing_channel(network_, chooser_.topology(), at * Ports + port, start, id, flits);
  }

  void credit_output(std::uint32_t index, Time slot_free) {
    const std::uint32_t at = index / Ports, port = index % Ports;
    if constexpr (starts_at_once) {
      if (free_slot(at, port, network_.unknown[index], slot_free)) wake(at, port);
      return;
    }
    Output& output = network_.outputs[index];
    bool opened = free_when_credited() && free_slot(at, port, output.unknown, slot_free);
    Slot* const ring = slots(index, output);
    if (output.waiting != 0) {
      const Slot waiting = ring[output.head];
      output.head = next_in_ring(output.head, slots_per_output());
      --output.waiting;
      opened |= start_channel(at, port, output, waiting, slot_free);
    } else
      ring[in_ring(output.head + std::uint32_t{output.credits++}, slots_per_output())].time = slot_free;
    if (opened) wake(at, port);
  }

  void wake(std::uint32_t at, std::uint32_t port) {
    Switch<Set>& entry = network_.switches[at];
    if (!contains(entry.wanted | entry.entered, port)) return;
    const Time free = contains(entry.wanted, port) ? free_from(at, 0)[port] : two_free(at, port);
    schedule(at, entry, free);
  }

  void schedule(std::uint32_t at, Switch<Set>& entry, Time time) {
    if (time >= entry.next) return;
    entry.next = time;
    wheel_.schedule(at, time);
  }

  // ---- inputs

  void arrive(const Forward& forward) {
    const std::uint32_t index = forward.input;
    Input& input = network_.inputs[index];
    const Time routed = forward.start + input.fly_less_one + 1 + network_.timing.routing;
    if (is_lane(index)) {
      if (enter_lane(index, {forward.packet, routed}, Entrance::from_channel))
        schedule(index / Ports, network_.switches[index / Ports], network_.eligible[index]);
      return;
    }
    if (input.count == slots_per_input())
      throw std::logic_error("cut-through: an input holds more than it has slots");
    const std::uint32_t last = in_ring(std::uint32_t{input.head} + input.count, slots_per_input());
    slots(index, input)[last] = {forward.packet, routed};
    input.count = (input.count + 1U) & 0x7fU;
    if (input.count != 1) return;
    const std::uint32_t at = index / Ports;
    const Time eligible = std::max(routed, read_from(index));
    network_.eligible[index] = eligible;
    route_head(at, index, input, network_.packets[forward.packet]);
    Switch<Set>& entry = network_.switches[at];
    entry.expect(index % Ports, eligible);
    schedule(at, entry, eligible);
  }

  /// Done at once, because the options depend on the cycle only through changes, after which it is repeated.
  void route_head(std::uint32_t at, std::uint32_t index, Input& input, Packet& packet) {
    Set down = 0;
    if (network_.switches[at].changes) [[unlikely]] {
      network_.arrival_tags[index] = packet.tag;
      down = network_.failing[at].down;
    }
    Choice<Set> choice = chooser_.output(at, index, packet, down);
    if (has_headers()) [[unlikely]]
      if (learns() || choice.ports == 0 || network_.special[at].out != 0)
        mark_head(at, index, packet_at(index), choice);
    network_.set_candidates(index, choice.ports);
    input.by_option = choice.by_option && !choice.open ? 1 : 0;
    if (!is_single(choice.ports)) input.tie = chooser_.draw_tie(packet, at);
    if (!choice.by_option && !choice.open) packet.tag = choice.tag;
    ++packet.hops;
    if (!is_common && choice.open) set_special(at, index, &SpecialHeads<Set>::open);
    if (choice.ports == 0) [[unlikely]]
      find_whether_stuck(at, index, packet);
  }

  /// A head that is offered nothing, unless only because all its options are down and may come up.
  [[gnu::noinline]] void find_whether_stuck(std::uint32_t at, std::uint32_t index, Packet& packet) {
    const Set gone = network_.switches[at].changes ? network_.failing[at].down_for_good : Set(0);
    if (has_headers() && chooser_.sends_again() && (network_.special[at].ejections & ~gone) != 0) return;
    if (down_at(at) != 0) {
      packet.tag = network_.arrival_tags[index];
      if (!chooser_.offers_nothing(at, index, packet, gone)) return;
    }
    set_special(at, index, &SpecialHeads<Set>::stuck);
  }

  /// The head of an input becomes one of those.
  void set_special(std::uint32_t at, std::uint32_t index, Set SpecialHeads<Set>::*heads) {
    network_.special[at].*heads |= port_bit(index);
    network_.switches[at].special |= port_bit(index);
  }

  /// The outputs of the switch whose channels are down.
  [[nodiscard]] Set down_at(std::uint32_t at) const {
    return network_.switches[at].changes ? network_.failing[at].down : Set(0);
  }

  /// The special properties of a head with options; a head without any waits for a terminal that re-injects
  /// it.
  [[gnu::noinline]] void mark_head(std::uint32_t at, std::uint32_t index, PacketId id, Choice<Set>& choice) {
    SpecialHeads<Set>& special = network_.special[at];
    const Packet& packet = network_.packets[id];
    PacketHeader& header = network_.packets.header(id);
    const Set head = port_bit(index);
    const auto set = [&](Set& heads, bool is_one) { heads = is_one ? heads | head : heads & ~head; };
    const ChannelId dead = chooser_.dead_choice();
    set(special.control, packet.is_control());
    set(special.meets_dead, dead.valid() && !packet.is_control() && !header.met_dead);
    if (contains(special.meets_dead, index % Ports)) header.value = dead.value();
    set(special.out, choice.ports == 0 && chooser_.sends_again());
    if (contains(special.out, index % Ports))
      choice = {.ports = special.ejections & ~down_at(at), .tag = packet.tag};
    network_.switches[at].special |= special.to_serve() & head;
  }

  // ---- lanes

  enum class Entrance : std::uint8_t { from_channel, from_switch };

  /// In order of arrival; a packet created by the switch itself is behind those of the same cycle. True if it
  /// has become the head.
  [[gnu::noinline]] bool enter_lane(std::uint32_t index, Slot entering, Entrance by) {
    Input& input = network_.inputs[index];
    Slot& head = slots(index, input)[0];
    std::vector<Slot>& behind = network_.behind_head(index);
    const auto goes_before = [&](const Slot& other) {
      return entering.time < other.time || (entering.time == other.time && by == Entrance::from_channel);
    };
    if (input.count != 0 && !goes_before(head)) {
      behind.insert(std::ranges::find_if(behind, goes_before), entering);
      return false;
    }
    if (input.count != 0) {  // a head whose arrival was known ahead of time
      forget_choice(index / Ports, index, network_.packets[head.packet]);
      behind.insert(behind.begin(), head);
    }
    head = entering;
    input.count = 1;
    network_.eligible[index] = std::max(entering.time, read_from(index));
    route_head(index / Ports, index, input, network_.packets[entering.packet]);
    return true;
  }

  /// Packets that could be granted.
  [[nodiscard]] std::size_t ready_in_lane(std::uint32_t index, Time now) {
    const std::vector<Slot>& behind = network_.behind_head(index);
    const auto first_later = std::ranges::find_if(behind, [&](const Slot& slot) { return slot.time > now; });
    return 1 + static_cast<std::size_t>(first_later - behind.begin());
  }
  void leave_lane(std::uint32_t index, Input& input) {
    std::vector<Slot>& behind = network_.behind_head(index);
    input.count = behind.empty() ? 0 : 1;
    if (behind.empty()) return;
    slots(index, input)[0] = behind.front();
    behind.erase(behind.begin());
  }

  /// The sources of heads that are about to take a dead channel are notified, each once.
  [[gnu::noinline]] void notify(std::uint32_t at, const Set& heads, Time now) {
    network_.special[at].meets_dead &= ~heads;
    for (const std::uint32_t head : ports_of(heads)) {
      const std::uint32_t index = at * Ports + head;
      const std::optional<PacketId> notice = control_.notification(packet_at(index), now);
      if (!notice) continue;
      (void)enter_lane(first_sibling(index) + network_.vcs - 1, {*notice, now + network_.timing.routing},
                       Entrance::from_switch);
    }
  }

  // ---- channels that fail

  /// The options of the switch's heads have changed: they are routed again, before anything else in cycle
  /// `now`.
  [[gnu::noinline]] void choose_anew(std::uint32_t at, Time now) {
    Switch<Set>& entry = network_.switches[at];
    entry.next = std::min(entry.next, now);
    for (std::uint32_t head = 0; head < network_.input_counts[at]; ++head) route_again(at, at * Ports + head);
  }

  void route_again(std::uint32_t at, std::uint32_t index) {
    Input& input = network_.inputs[index];
    if (input.count == 0) return;
    Packet& packet = network_.packets[packet_at(index)];
    forget_choice(at, index, packet);
    if (chooser_.reads_queues()) {  // when it may be granted; until then the others count it as before
      input.tie = chooser_.draw_tie(packet, at);
      ++packet.hops;
      set_special(at, index, &SpecialHeads<Set>::open);
      return;
    }
    route_head(at, index, input, packet);
  }

  /// Returns a head to its state on arrival.
  void forget_choice(std::uint32_t at, std::uint32_t index, Packet& packet) {
    packet.tag = network_.arrival_tags[index];
    --packet.hops;
    network_.special[at].stuck &= ~port_bit(index);
    network_.special[at].open &= ~port_bit(index);
  }

  /// The set of the port that `index` is.
  static Set port_bit(std::uint32_t index) { return only<Set>(index % Ports); }

  Time two_free(std::uint32_t at, std::uint32_t port) {
    return std::max(free_from(at, 0)[port], free_from(at, 1)[port]);
  }

  std::uint64_t packet_hops_ = 0, flit_hops_ = 0;
  std::vector<Time> landing_;  ///< tails on their way to terminals, and those that arrived since the last bin
  Tag option_tags_[Ports] = {};  ///< by input: with the option that its head has asked for
  Chooser<Set>& chooser_;
  ControlPackets<Set> control_;

 private:
  Measurement& measurement_;
  EventWheel& wheel_;
  PacketPool& pool_;
  Outbox& outbox_;
  bool loses_what_stands_on_channels_;  ///< when they fail: no input has a buffer
};

}  // namespace faultline::cut_through
