// SPDX-License-Identifier: Apache-2.0
// What the cycle-driven engine keeps of packets, buffers, channels and terminals.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "faultline/routing/relation.h"
#include "simulate/clock.h"

namespace faultline::cut_through::plain {

struct Packet {
  TerminalId source, destination;
  std::uint32_t sequence = 0;
  Time generated = 0, injected = 0;
  Time flits = 1;  ///< cycles in which it passes a point
  Tag tag = 0;
  std::uint32_t hops = 0;
  bool lost = false;  ///< it was on a channel that went down
};

/// A virtual channel that a packet competes for.
struct Candidate {
  VirtualChannel taken;
  Tag tag = 0;
  std::uint32_t cost = 0;
  std::size_t needed = 1;  ///< free places
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
  Candidates candidates;
  std::uint32_t epoch = 0;
};

/// A packet in a buffer: its head is there from `arrives`, its tail has left at `leaves`.
struct Place {
  Packet packet;
  Time arrives = 0;
  Time leaves = never;
  std::optional<Routed> routed;
};

/// When a packet that is granted now has passed a crossbar that takes so many flits a cycle: not before its
/// tail has arrived.
[[nodiscard]] inline Time passed_at(const Place& place, Time now, std::uint32_t flits_a_cycle) {
  const Time flits = place.packet.flits, at_once = flits_a_cycle;
  return std::max(now + (flits + at_once - 1) / at_once, place.arrives + flits);
}

struct Buffer {
  std::deque<Place> places;

  void forget_left(Time now) {
    while (!places.empty() && places.front().leaves <= now) places.pop_front();
  }
  [[nodiscard]] Place* head() {
    const auto first = std::ranges::find(places, never, &Place::leaves);
    return first == places.end() ? nullptr : &*first;
  }
  [[nodiscard]] std::size_t places_that_will_be_free() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(places, [](const Place& place) { return place.leaves != never; }));
  }
  /// Those that have arrived, or are arriving, and do not leave yet.
  [[nodiscard]] std::uint64_t packets() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        places, [](const Place& place) { return place.leaves == never && place.arrives != never; }));
  }
};

/// The ways of a port into the crossbar, or out of it.
class Ways {
 public:
  explicit Ways(std::uint32_t count = 1) : busy_until_(count) {}
  /// From when on the next packet may take one.
  [[nodiscard]] Time free_from() const { return *std::ranges::min_element(busy_until_); }
  void take(Time until) { *std::ranges::min_element(busy_until_) = until; }

 private:
  std::vector<Time> busy_until_;
};

/// A channel with the buffer of its sender and those of its receiver, one a virtual channel.
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
  [[nodiscard]] bool fits(std::size_t sending_places, std::size_t receiving_places) const {
    return sending.places.size() <= sending_places &&
           std::ranges::all_of(
               receiving, [&](const Buffer& buffer) { return buffer.places.size() <= receiving_places; });
  }
};

struct Source {
  std::deque<Packet> queue;
  std::uint32_t sequence = 0;
  Time next = never;
  Time first_since = 0;  ///< not before the packet before it left the queue
};

}  // namespace faultline::cut_through::plain
