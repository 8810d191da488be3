// SPDX-License-Identifier: Apache-2.0
// Messages between regions: what happens in one window and takes effect in a later one.
#pragma once

#include <array>
#include <vector>

#include "simulate/cut_through/buffer_state.h"
#include "simulate/cut_through/partition.h"
#include "simulate/cut_through/post.h"

namespace faultline::cut_through {

/// A packet whose head enters the channel of an input at `start`.
struct Forward {
  std::uint32_t input;
  PacketId packet;
  Time start;
};

/// A slot in the buffer that `to` sends to is free from then on.
struct Credit {
  Sender to;
  Time free;
};

/// Something for a terminal to act on from a cycle on.
struct Letter {
  enum class Type : std::uint8_t {
    answer,  ///< a control packet to send
    again,   ///< a packet to re-inject
    news,    ///< a control packet that has arrived
  };
  Type type;
  TerminalId to;
  PacketId packet;
  Time from;
};

/// A region's messages to every region, itself included, in two halves: while the others read the messages of
/// the last window, new ones go into the other half and are read one window later. That is early enough,
/// because a window is no longer than the delays between regions (Windows).
class Outbox {
 public:
  struct Batch {
    Post<Credit> credits;
    Post<Forward> forwards;
    Post<Letter> letters;
  };

  Outbox(const BufferState& network, const Partition& partition)
      : partition_(partition), ports_(network.ports) {
    for (auto& batches : batches_) batches.resize(partition.count());
  }

  void send(const Forward& forward) { batch_to(region_of(forward.input)).forwards.push_back(forward); }
  void send(const Credit& credit) {
    const std::uint32_t index = credit.to.index();
    const std::uint32_t to = credit.to.is_injector() ? partition_.of_injector(index) : region_of(index);
    batch_to(to).credits.push_back(credit);
  }

  void send(const Letter& letter) { batch_to(partition_.of_terminal(letter.to)).letters.push_back(letter); }

  /// Swaps the halves: what has been sent can now be read, and what has been read is discarded.
  void turn() {
    filling_ ^= 1U;
    for (Batch& read : batches_[filling_]) {
      read.credits.clear();
      read.forwards.clear();
      read.letters.clear();
    }
  }
  /// The half that is being read: the messages for `region`, until the next turn.
  [[nodiscard]] const Batch& sent_to(std::uint32_t region, unsigned half) const {
    return batches_[half][region];
  }
  [[nodiscard]] unsigned filling() const { return filling_; }
  [[nodiscard]] std::uint32_t regions() const { return partition_.count(); }

 private:
  /// Of the switch that has this port.
  [[nodiscard]] std::uint32_t region_of(std::uint32_t port) const {
    return partition_.count() == 1 ? 0 : partition_.of_switch(port / ports_);
  }
  Batch& batch_to(std::uint32_t to) { return batches_[filling_][to]; }

  const Partition& partition_;
  std::uint32_t ports_;  ///< of a switch
  unsigned filling_ = 0;
  std::array<std::vector<Batch>, 2> batches_;
};

}  // namespace faultline::cut_through
