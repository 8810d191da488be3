// SPDX-License-Identifier: Apache-2.0
// What terminals send, as rows of numbers. A sender is a terminal's end of an injection channel: it has the
// flits of its packet that are to be sent, and for each VC at the switch the credits that have come back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "faultline/simulate/clock.h"

namespace faultline::wormhole::planes {

/// The most senders that a kernel works on at a time. Each run has room for a multiple of them.
inline constexpr std::uint32_t senders_at_once = 32;

/// Senders of one region, for neighbouring ports of one group, by channels of one length. The byte of sender
/// `first + i` in a group's log is number `log_offset + i`.
struct SenderRun {
  std::uint32_t first = 0, count = 0;  ///< without the numbers that fill it up
  std::uint32_t group = 0;
  std::size_t log_offset = 0;
  Time flit_delay = 0, credit_delay = 0;
};

/// Where the next run begins.
[[nodiscard]] inline std::uint32_t end_of(const SenderRun& run) {
  return run.first + (run.count + senders_at_once - 1) / senders_at_once * senders_at_once;
}

/// By sender; the numbers that fill up a run belong to none, and have no credits.
struct SenderRows {
  std::uint32_t senders = 0;
  std::uint16_t* left = nullptr;     ///< flits of the packet that are to be sent
  std::uint16_t* code = nullptr;     ///< of the packet's VC
  std::uint16_t* waits = nullptr;    ///< all bits: the terminal has a packet that waits for a channel
  std::uint16_t* credits = nullptr;  ///< by VC and sender
  std::uint16_t buffer_flits = 1;
  bool atomic = false;  ///< a packet is sent only to an empty buffer
};

/// The two steps of a run in a cycle, compiled for each processor. Lists have room for one entry more than
/// the run has senders. They get copies of the rows' and the run's data, which no store can change.
struct SenderSteps {
  /// Takes the credits in `log`, the bytes of the cycle from which they come. Lists the senders that have a
  /// packet waiting, a VC for it, and none that is being sent; returns how many.
  std::uint32_t (*take_credits)(SenderRows rows, SenderRun run, const std::uint8_t* log,
                                std::uint32_t* ready);
  /// Sends a flit from each sender that has one and credit for it: the VC's code goes to `arrivals`, by
  /// sender, and zero from the others. Lists those whose last flit it was if `ended` is not null.
  struct Sent {
    bool any = false;
    std::uint32_t ended = 0;
  };
  Sent (*send)(SenderRows rows, SenderRun run, std::uint8_t* arrivals, std::uint32_t* ended);
};

}  // namespace faultline::wormhole::planes
