// SPDX-License-Identifier: Apache-2.0
// What the cycle-driven engine keeps of packets, buffers, channels and terminals.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/simulate/clock.h"
#include "simulate/switches/source_agents.h"

namespace faultline::cut_through::plain {

struct Packet {
  TerminalId source, destination;
  std::uint32_t sequence = 0;
  Time generated = 0, injected = 0;
  Time flits = 1;  ///< cycles in which it passes a point
  Tag tag = 0;
  std::uint32_t hops = 0;
  bool lost = false;  ///< it was on a channel that went down
  bool out = false;   ///< on its way to a terminal that is to re-inject it
  TerminalId relay;   ///< a relay: a terminal that it goes to first, which is to re-inject it
  /// It has met a dead channel: its source has been notified, and its arrival is not acknowledged.
  bool met_dead = false;
  InjectionWay way;         ///< by which its source injected it
  bool control = false;     ///< answers the data packet (source, sequence), and is for its source
  News news;                ///< of a control packet
  bool sent_again = false;  ///< some terminal has re-injected it

  /// At a switch.
  [[nodiscard]] bool has_priority() const { return control && !sent_again; }

  /// Its current destination.
  [[nodiscard]] TerminalId target() const { return relay.valid() ? relay : destination; }
};

/// A virtual channel that a packet competes for.
struct Candidate {
  VirtualChannel taken;
  Tag tag = 0;
  std::uint32_t cost = 0;
  std::size_t needed = 1;  ///< free slots
  bool out = false;        ///< to a terminal that is to re-inject the packet
};
using Candidates = std::vector<Candidate>;

/// Options that do not differ in virtual channel or tag count once.
[[nodiscard]] inline Candidates distinct(const Candidates& candidates) {
  Candidates different;
  for (const Candidate& candidate : candidates)
    if (std::ranges::none_of(different, [&](const Candidate& other) {
          return other.taken == candidate.taken && other.tag == candidate.tag;
        }))
      different.push_back(candidate);
  return different;
}

/// What a head competes for until a channel of an output of its switch goes down or comes up.
struct Routed {
  bool stuck = false;  ///< the relation offers nothing
  /// The first of the options that would be taken if nothing were down, if all of these are down.
  std::optional<ChannelId> dead;
  Candidates candidates;
  std::uint32_t epoch = 0;
};

/// A slot of a buffer, with a packet: its head is there from `arrives`, its tail has left at `leaves`.
struct Slot {
  Packet packet;
  Time arrives = 0;
  Time leaves = never;
  std::optional<Routed> routed;
};

/// When a packet that is granted now has passed a crossbar that takes that many flits per cycle: not before
/// its tail has arrived.
[[nodiscard]] inline Time passed_at(const Slot& slot, Time now, std::uint32_t flits_a_cycle) {
  const Time flits = slot.packet.flits, at_once = static_cast<Time>(flits_a_cycle);
  return std::max(now + (flits + at_once - 1) / at_once, slot.arrives + flits);
}

struct Buffer {
  std::deque<Slot> slots;  ///< those that are taken

  void forget_left(Time now) {
    while (!slots.empty() && slots.front().leaves <= now) slots.pop_front();
  }
  [[nodiscard]] Slot* head() {
    const auto first = std::ranges::find(slots, never, &Slot::leaves);
    return first == slots.end() ? nullptr : &*first;
  }
  [[nodiscard]] std::size_t slots_that_will_be_free() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(slots, [](const Slot& slot) { return slot.leaves != never; }));
  }
  /// Data packets that have arrived, or are arriving, and are not leaving yet.
  [[nodiscard]] std::uint64_t packets() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(slots, [](const Slot& slot) {
      return slot.leaves == never && slot.arrives != never && !slot.packet.control;
    }));
  }
};

/// The crossbar inputs or outputs of a port.
class Ways {
 public:
  explicit Ways(std::uint32_t count = 1) : busy_until_(count) {}
  /// From when on the next packet may take one.
  [[nodiscard]] Time free_from() const { return *std::ranges::min_element(busy_until_); }
  void take(Time until) { *std::ranges::min_element(busy_until_) = until; }

 private:
  std::vector<Time> busy_until_;
};

/// A channel with the buffer of its sender and those of its receiver, one per virtual channel; with source
/// agents one more, the lane of control packets, which has space for all.
struct Channel {
  Buffer sending;
  std::vector<Buffer> receiving;
  Ways written;   ///< into the sender's side
  Time sent = 0;  ///< the channel takes the next packet from here on
  Ways read;      ///< from the receiver's side

  [[nodiscard]] std::uint64_t packets() const {
    std::uint64_t count = sending.packets();
    for (const Buffer& buffer : receiving) count += buffer.packets();
    return count;
  }
  void forget_left(Time now) {
    sending.forget_left(now);
    for (Buffer& buffer : receiving) buffer.forget_left(now);
  }
  [[nodiscard]] bool fits(std::size_t sending_slots, std::size_t receiving_slots, std::size_t vcs) const {
    return sending.slots.size() <= sending_slots &&
           std::ranges::all_of(std::span(receiving).first(vcs),
                               [&](const Buffer& buffer) { return buffer.slots.size() <= receiving_slots; });
  }
};

/// Packets that a terminal may inject from a cycle on, the earliest first.
struct Postbox {
  struct Item {
    Time from;
    Packet packet;
  };
  std::deque<Item> items;

  /// Packets of one cycle are ordered by name, so that the order in which they were entered does not matter.
  void put(Time from, const Packet& packet) {
    const auto order = [](const Item& item) {
      const Packet& one = item.packet;
      return std::tuple(item.from, one.source, one.sequence, one.control);
    };
    const Item last{from, packet};
    items.insert(std::ranges::upper_bound(items, order(last), {}, order), last);
  }
  [[nodiscard]] std::uint64_t data_packets() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(items, [](const Item& item) { return !item.packet.control; }));
  }
  [[nodiscard]] bool ready(Time now) const { return !items.empty() && items.front().from <= now; }
};

struct Source {
  std::deque<Packet> queue;
  Postbox answers;  ///< control packets
  Postbox again;    ///< of other sources, taken out at its switch
  std::uint32_t sequence = 0;
  Time next = never;
  Time first_since = 0;  ///< not before the packet before it left the queue
};

}  // namespace faultline::cut_through::plain
