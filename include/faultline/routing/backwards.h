// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <vector>

#include "faultline/routing/states.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The states of one destination by the states that move to them, CSR.
class Backwards {
 public:
  /// Only moves that `follow` accepts count. O(states + moves).
  template <class Follow>
  Backwards(const DestinationStates& states, Follow follow) : offsets_(states.count() + 1) {
    for (const DestinationStates::Move& move : states.moves)
      if (move.enters() && follow(move)) ++offsets_[move.next];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    before_.resize(offsets_.back());
    for (std::uint32_t state = 0; state < states.count(); ++state)
      for (const DestinationStates::Move& move : states.moves_of(state))
        if (move.enters() && follow(move)) before_[--offsets_[move.next]] = state;
  }

  /// Calls `enter(before, state)` for each move to a state of `queue`; enter may append states to it.
  template <class Enter>
  void spread(const std::vector<std::uint32_t>& queue, Enter enter) const {
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::uint32_t state = queue[next];
      for (std::uint32_t i = offsets_[state]; i < offsets_[state + 1]; ++i) enter(before_[i], state);
    }
  }

 private:
  std::vector<std::uint32_t> offsets_, before_;
};

}  // namespace faultline
#pragma GCC visibility pop
