// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "faultline/base/divisor.h"
#include "faultline/simulate/clock.h"

namespace faultline::cut_through {

/// Which items have something to do in which window of cycles, as one bit each. An item that is due beyond
/// the range of the wheel gets a bit in its last window: it then finds nothing to do and is scheduled again.
class EventWheel {
 public:
  EventWheel(std::size_t items, Time window_cycles, Time limit)
      : window_(static_cast<std::uint32_t>(window_cycles)),
        limit_(limit),
        words_((items + 63) / 64),
        bits_(words_ * windows) {}

  /// Nothing happens at or after the limit.
  void schedule(std::uint32_t item, Time at) {
    if (at >= limit_) return;
    if (at < next_begins_) throw std::logic_error("cut-through: an event in the past");
    const std::uint32_t window =
        std::min(window_.quotient(static_cast<std::uint32_t>(at)), next_ + windows - 1);
    bits_[std::size_t{window % windows} * words_ + item / 64] |= std::uint64_t{1} << (item % 64);
  }

  /// Likewise for an item of the window that take() returned last, which is due there anyway when that window
  /// is run in parts.
  void keep(std::uint32_t item, Time at) {
    if (at >= next_begins_) schedule(item, at);
  }

  /// The items of the next window, in order; what is scheduled from now on belongs to later ones.
  void take(std::vector<std::uint32_t>& items) {
    items.clear();
    std::uint64_t* const window = bits_.data() + std::size_t{next_ % windows} * words_;
    for (std::size_t word = 0; word < words_; ++word)
      for (std::uint64_t bits = std::exchange(window[word], 0); bits != 0; bits &= bits - 1)
        items.push_back(
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits))));
    ++next_;
    next_begins_ += static_cast<Time>(window_.value());
  }

 private:
  static constexpr std::uint32_t windows = 512;

  Divisor window_;  ///< cycles
  Time limit_;
  Time next_begins_ = 0;
  std::uint32_t next_ = 0;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace faultline::cut_through
