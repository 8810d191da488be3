// SPDX-License-Identifier: Apache-2.0
// What happens in a window to what it finds at its end.
#pragma once

#include <array>
#include <vector>

#include "simulate/cut_through/network_state.h"
#include "simulate/cut_through/partition.h"
#include "simulate/cut_through/post.h"

namespace faultline::cut_through {

/// A packet whose head enters the channel of an input at `start`.
struct Forward {
  std::uint32_t input;
  PacketId packet;
  Time start;
};

/// A place of what `to` fills is free from then on.
struct Credit {
  Sender to;
  Time free;
};

/// For a terminal to act on from a cycle on.
struct Letter {
  enum class Type : std::uint8_t {
    answer,  ///< a packet of control that it sends
    again,   ///< a packet that it sends again
    news,    ///< a packet of control that has come to it
  };
  Type type;
  TerminalId to;
  PacketId packet;
  Time from;
};

/// What a region has for each of the others and itself. What it sends while it reads what all have sent in a
/// window is read after the next one: nothing of that happens earlier (Windows).
class Outbox {
 public:
  struct Batch {
    Post<Credit> credits;
    Post<Forward> forwards;
    Post<Letter> letters;
  };

  Outbox(const NetworkState& network, const Partition& partition)
      : partition_(partition), ports_(static_cast<unsigned>(std::countr_zero(network.ports))) {
    for (auto& batches : batches_) batches.resize(partition.count());
  }

  void send(const Forward& forward) {
    batch_to(partition_.of_switch(forward.input >> ports_)).forwards.push_back(forward);
  }
  void send(const Credit& credit) {
    const std::uint32_t index = credit.to.index();
    const std::uint32_t to =
        credit.to.is_injector() ? partition_.of_injector(index) : partition_.of_switch(index >> ports_);
    batch_to(to).credits.push_back(credit);
  }

  void send(const Letter& letter) { batch_to(partition_.of_terminal(letter.to)).letters.push_back(letter); }

  /// From now on others read what has been sent, and what has been read is forgotten.
  void turn() {
    filling_ ^= 1U;
    for (Batch& read : batches_[filling_]) {
      read.credits.clear();
      read.forwards.clear();
      read.letters.clear();
    }
  }
  /// The half that is not being filled: for `region`, until the next turn.
  [[nodiscard]] const Batch& sent_to(std::uint32_t region, unsigned half) const {
    return batches_[half][region];
  }
  [[nodiscard]] unsigned filling() const { return filling_; }
  [[nodiscard]] std::uint32_t regions() const { return partition_.count(); }

 private:
  Batch& batch_to(std::uint32_t to) { return batches_[filling_][to]; }

  const Partition& partition_;
  unsigned ports_;  ///< log2
  unsigned filling_ = 0;
  std::array<std::vector<Batch>, 2> batches_;
};

}  // namespace faultline::cut_through
