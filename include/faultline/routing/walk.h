// SPDX-License-Identifier: Apache-2.0
// Depth-first order of one destination's states.
#pragma once

#include <optional>

#include "faultline/routing/states.h"

#pragma GCC visibility push(default)
namespace faultline {

struct StateOrder {
  std::vector<std::uint32_t> last_first;  ///< every state comes after all states to which it moves, except
                                          ///< for moves that close a cycle
  std::vector<ChannelId> cycle;           ///< channels of one cycle, if there is one
};

/// Only moves that `follow` accepts count. O(states + moves).
template <class Follow>
[[nodiscard]] StateOrder order_states(const DestinationStates& states, Follow follow) {
  struct Frame {
    std::uint32_t state;
    std::uint32_t next_move;
  };
  enum class Colour : std::uint8_t { fresh, open, closed };
  StateOrder order;
  order.last_first.reserve(states.count());
  std::vector<Colour> colours(states.count(), Colour::fresh);
  std::vector<Frame> stack;
  for (std::uint32_t start = 0; start < states.count(); ++start) {
    if (colours[start] != Colour::fresh) continue;
    stack.push_back({start, states.offsets[start]});
    colours[start] = Colour::open;
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next_move == states.offsets[top.state + 1]) {
        colours[top.state] = Colour::closed;
        order.last_first.push_back(top.state);
        stack.pop_back();
        continue;
      }
      const DestinationStates::Move& move = states.moves[top.next_move++];
      if (!move.enters() || !follow(move)) continue;
      if (colours[move.next] == Colour::open && order.cycle.empty()) {
        std::size_t first = stack.size();
        while (stack[first - 1].state != move.next) --first;
        for (std::size_t i = first - 1; i < stack.size(); ++i)
          order.cycle.push_back(states.moves[stack[i].next_move - 1].channel);
      }
      if (colours[move.next] != Colour::fresh) continue;
      colours[move.next] = Colour::open;
      stack.push_back({move.next, states.offsets[move.next]});
    }
  }
  return order;
}

}  // namespace faultline
#pragma GCC visibility pop
