// SPDX-License-Identifier: Apache-2.0
// What a terminal of the event-driven engine sends besides its own packets.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>

#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/packets.h"

namespace faultline::cut_through {

/// Packets that a terminal may send from given cycles on, the earliest first, those of one cycle in the order
/// of their names.
class Postbox {
  struct Item {
    Time from;
    std::uint32_t source, sequence;
    bool is_control;
    PacketId id;
    [[nodiscard]] auto order() const { return std::tuple(from, source, sequence, is_control); }
  };

 public:
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] PacketId front() const { return items_.front().id; }
  /// The earliest time: it may be sent, and the one before it has gone.
  [[nodiscard]] Time ready() const { return std::max(items_.front().from, left_); }

  void put(Time from, PacketId id, const Packet& packet) {
    const Item item{from, packet.source, packet.sequence, packet.is_control(), id};
    const auto position = std::ranges::upper_bound(
        items_, item, [](const Item& a, const Item& b) { return a.order() < b.order(); });
    if (position == items_.begin()) choice.reset();
    items_.insert(position, item);
  }
  /// The first has been sent.
  void pop(Time now) {
    give_up();
    left_ = now;
  }
  /// The first is not sent.
  void give_up() {
    items_.pop_front();
    choice.reset();
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Item& item : items_) visit(item.id);
  }

  std::optional<Choice<TerminalPorts>> choice;  ///< of the first, if it has been determined

 private:
  std::deque<Item> items_;
  Time left_ = 0;
};

}  // namespace faultline::cut_through
