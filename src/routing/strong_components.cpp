// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/strong_components.h"

#include <algorithm>

namespace faultline {
namespace {

class Tarjan {
 public:
  explicit Tarjan(const DestinationStates& states)
      : states_(states), order_(states.count()), low_(states.count()), stacked_(states.count()) {}

  std::vector<StateGroup> run() && {
    for (std::uint32_t state = 0; state < states_.count(); ++state)
      if (order_[state] == 0) search(state);
    return std::move(groups_);
  }

 private:
  struct Visit {
    std::uint32_t state;
    std::size_t next_move;
  };

  void search(std::uint32_t root) {
    enter(root);
    while (!visits_.empty()) {
      auto& [state, next_move] = visits_.back();
      const auto moves = states_.moves_of(state);
      if (next_move == moves.size()) {
        leave(state);
        continue;
      }
      const std::uint32_t next = moves[next_move++].next;
      if (next >= DestinationStates::lost) continue;
      if (order_[next] == 0)
        enter(next);
      else if (stacked_[next])
        low_[state] = std::min(low_[state], order_[next]);
    }
  }

  void enter(std::uint32_t state) {
    order_[state] = low_[state] = ++count_;
    stacked_[state] = true;
    stack_.push_back(state);
    visits_.push_back({state, 0});
  }

  void leave(std::uint32_t state) {
    visits_.pop_back();
    if (!visits_.empty()) low_[visits_.back().state] = std::min(low_[visits_.back().state], low_[state]);
    if (low_[state] != order_[state]) return;
    StateGroup group;
    while (stacked_[state]) {
      group.states.push_back(stack_.back());
      stacked_[stack_.back()] = false;
      stack_.pop_back();
    }
    std::ranges::sort(group.states);
    group.cyclic =
        group.states.size() > 1 ||
        std::ranges::any_of(states_.moves_of(state), [&](const auto& move) { return move.next == state; });
    groups_.push_back(std::move(group));
  }

  const DestinationStates& states_;
  std::vector<std::uint32_t> order_, low_;  // order 0: not yet visited
  std::vector<bool> stacked_;
  std::vector<std::uint32_t> stack_;
  std::vector<Visit> visits_;
  std::vector<StateGroup> groups_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::vector<StateGroup> strong_components(const DestinationStates& states) { return Tarjan(states).run(); }

}  // namespace faultline
