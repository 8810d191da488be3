// SPDX-License-Identifier: Apache-2.0
// The effects of a grant at the outputs and inputs of switches.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/outputs.h"

namespace faultline::cut_through {

/// Those of one region.
template <std::uint32_t Ports, Shape shape>
class Buffers : protected Outputs<Ports, shape> {
  using Base = Outputs<Ports, shape>;

 protected:
  using Set = PortSet<Ports>;

 public:
  Buffers(const NetworkView<Ports, shape>& view, Chooser<Set>& chooser, Measurement& measurement,
          EventWheel& wheel, PacketPool& pool, Outbox& outbox)
      : Base(view, chooser, measurement, pool, outbox),
        wheel_(wheel),
        loses_what_stands_on_channels_(network_.outages.any() &&
                                       network_.timing.buffers == Buffering::output) {}

  using Base::control;

 protected:
  using Base::chooser_;
  using Base::control_;
  using Base::credit_delay;
  using Base::delay;
  using Base::first_sibling;
  using Base::flit_hops_;
  using Base::flits_of;
  using Base::free_from;
  using Base::free_slot;
  using Base::free_when_credited;
  using Base::has_headers;
  using Base::has_rings;
  using Base::has_vcs;
  using Base::is_common;
  using Base::is_lane;
  using Base::landing_;
  using Base::learns;
  using Base::measurement_;
  using Base::network_;
  using Base::outbox_;
  using Base::packet_hops_;
  using Base::pool_;
  using Base::read_from;
  using Base::siblings;
  using Base::slots;
  using Base::slots_per_input;
  using Base::slots_per_output;
  using Base::start_channel;
  using Base::starts_at_once;

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
      network_.packets[packet].tag = option_tags_[index - at * Ports];
    const Time flits = flits_of(packet);
    if (has_headers()) [[unlikely]]
      note_grant(at, index, packet, now);
    if (!is_common && loses_what_stands_on_channels_) lose_if_failed(network_, index, head, now + flits);
    leave(at, index, input, now, flits);
    Base::count(out, packet, flits);
    const Time ready = now + network_.timing.crossbar;
    if constexpr (starts_at_once) return Base::start_at_once(at, port, packet, ready, now + flits);
    Output& output = network_.outputs[out];
    Base::take_slot(at, port, output, now + flits);
    Slot* const ring = slots(out, output);
    if (output.target >= Output::ejects)
      Base::eject(at, port, output, packet, ready, flits);
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

  /// Of a packet that is granted, if sources learn or terminals re-inject packets.
  [[gnu::noinline]] void note_grant(std::uint32_t at, std::uint32_t index, PacketId packet, Time now) {
    if (is_lane(index)) control_.counts.leaves(ready_in_lane(index, now));
    network_.packets.header(packet).out = contains(network_.special[at].out, index % Ports);
  }

  /// The head of an input starts to leave it.
  void leave(std::uint32_t at, std::uint32_t index, Input& input, Time now, Time flits) {
    const Time read = now + flits;
    const std::uint32_t port = index - at * Ports;
    if (is_lane(index))
      leave_lane(index, input);
    else {
      input.head = next_in_ring(input.head, slots_per_input());
      outbox_.send(Credit{input.sender, now + credit_delay(flits, input.fly_less_one + 1)});
      input.count = (input.count - 1U) & 0x7fU;
    }
    read_from(at, port) = read;
    if (has_vcs()) delay_siblings(at * Ports + first_sibling(port), read);
    if (input.count != 0) {
      const Slot next = slots(index, input)[input.head];
      network_.eligible[index] = std::max(next.time, read);
      route_head(at, index, input, network_.packets[next.packet]);
    } else {
      network_.eligible[index] = never;
      network_.forget_candidates(index);
    }
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
      measurement_.dropped(now,
                           why_stuck(network_.packets[packet].is_lost(), chooser_.came_over_dead(index)));
    leave(at, index, input, now, flits_of(packet));
    pool_.release(packet);
  }

  // ---- outputs

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
      Base::keep_credit(index, output, slot_free);
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
    const std::uint32_t at = index / Ports, port = index % Ports;
    const Time eligible = std::max(routed, read_from(at, port));
    network_.eligible[index] = eligible;
    route_head(at, index, input, network_.packets[forward.packet]);
    Switch<Set>& entry = network_.switches[at];
    entry.expect(port, eligible);
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
    if (has_headers() && may_be_sent_again(index) && (network_.special[at].ejections & ~gone) != 0) return;
    if (down_at(at) != 0) {
      packet.tag = network_.arrival_tags[index];
      if (!chooser_.offers_nothing(at, index, packet, gone)) return;
    }
    set_special(at, index, &SpecialHeads<Set>::stuck);
  }

  /// By a terminal of the switch.
  [[nodiscard]] bool may_be_sent_again(std::uint32_t input) const {
    return chooser_.sends_again() && !chooser_.came_over_dead(input);
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
    set(special.control, packet.is_control() && !header.sent_again);
    set(special.meets_dead, dead.valid() && !packet.is_control() && !header.met_dead);
    if (contains(special.meets_dead, index % Ports)) header.value = dead.value();
    set(special.out, choice.ports == 0 && may_be_sent_again(index));
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
    network_.eligible[index] = std::max(entering.time, read_from(index / Ports, index % Ports));
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
      (void)enter_lane(at * Ports + first_sibling(head) + network_.vcs - 1,
                       {*notice, now + network_.timing.routing}, Entrance::from_switch);
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

  Tag option_tags_[Ports] = {};  ///< by input: with the option that its head has asked for

 private:
  EventWheel& wheel_;
  bool loses_what_stands_on_channels_;  ///< when they fail: no input has a buffer
};

}  // namespace faultline::cut_through
