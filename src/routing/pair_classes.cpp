// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/pair_classes.h"
#include "faultline/routing/backwards.h"

#include <algorithm>
#include <ranges>

#include "faultline/routing/walk.h"

namespace faultline {
namespace {

using Move = DestinationStates::Move;

bool may_stop_here(const DestinationStates& plays, std::uint32_t state) {
  const auto moves = plays.moves_of(state);
  return moves.empty() ||
         std::ranges::any_of(moves, [](const Move& move) { return move.next == DestinationStates::lost; });
}

class WithRounds {
 public:
  explicit WithRounds(const DestinationStates& plays)
      : plays_(plays),
        back_(plays, [](const Move&) { return true; }),
        classes_(plays.count(), PairClass::livelock) {}

  std::vector<PairClass> run() && {
    mark_before([&](std::uint32_t state) { return may_stop_here(plays_, state); }, PairClass::stalled);
    mark_served();
    mark_likely();
    return std::move(classes_);
  }

 private:
  /// Gives `one` to the states that are, or may reach, a livelock state of which `is_one` is true.
  template <class IsOne>
  void mark_before(IsOne is_one, PairClass one) {
    std::vector<std::uint32_t> queue;
    const auto mark = [&](std::uint32_t state) {
      if (classes_[state] != PairClass::livelock) return;
      classes_[state] = one;
      queue.push_back(state);
    };
    for (std::uint32_t state = 0; state < plays_.count(); ++state)
      if (is_one(state)) mark(state);
    back_.spread(queue, [&](std::uint32_t before, std::uint32_t) { mark(before); });
  }

  void mark_served() {
    std::vector<std::uint32_t> open(plays_.count()), queue;  // moves that do not yet lead to served states
    const auto settle = [&](std::uint32_t state) {
      if (open[state] != 0 || classes_[state] != PairClass::livelock) return;
      classes_[state] = PairClass::served;
      queue.push_back(state);
    };
    for (std::uint32_t state = 0; state < plays_.count(); ++state) {
      open[state] = static_cast<std::uint32_t>(std::ranges::count_if(plays_.moves_of(state), &Move::enters));
      settle(state);
    }
    back_.spread(queue, [&](std::uint32_t before, std::uint32_t) {
      --open[before];
      settle(before);
    });
  }

  /// Of the rest, all but the states that may reach one from which nothing is ever ejected.
  void mark_likely() {
    std::vector<bool> arrives(plays_.count());
    std::vector<std::uint32_t> queue;
    const auto reach = [&](std::uint32_t state) {
      if (arrives[state]) return;
      arrives[state] = true;
      queue.push_back(state);
    };
    for (std::uint32_t state = 0; state < plays_.count(); ++state)
      if (std::ranges::any_of(plays_.moves_of(state),
                              [](const Move& move) { return move.next == DestinationStates::ejected; }))
        reach(state);
    back_.spread(queue, [&](std::uint32_t before, std::uint32_t) { reach(before); });
    const std::vector<PairClass> undecided = classes_;
    mark_before([&](std::uint32_t state) { return !arrives[state]; }, PairClass::refused);
    for (std::size_t state = 0; state < plays_.count(); ++state)
      if (undecided[state] == PairClass::livelock)
        classes_[state] = classes_[state] == PairClass::refused ? PairClass::livelock : PairClass::likely;
  }

  const DestinationStates& plays_;
  Backwards back_;
  std::vector<PairClass> classes_;
};

}  // namespace

std::string_view to_string(PairClass of) {
  constexpr std::array<std::string_view, pair_class_count> names{"served", "likely", "livelock", "stalled",
                                                                 "refused"};
  return names[static_cast<std::size_t>(of)];
}

std::vector<PairClass> classes_of_states(const DestinationStates& plays) {
  const StateOrder order = order_states(plays, [](const Move&) { return true; });
  if (order.cycle.empty()) return classes_of_states(plays, order.last_first);
  return WithRounds(plays).run();
}

std::vector<PairClass> classes_of_states(const DestinationStates& plays,
                                         std::span<const std::uint32_t> last_first) {
  std::vector<PairClass> classes(plays.count(), PairClass::served);
  for (const std::uint32_t state : last_first)
    if (may_stop_here(plays, state) || std::ranges::any_of(plays.moves_of(state), [&](const Move& move) {
          return move.enters() && classes[move.next] != PairClass::served;
        }))
      classes[state] = PairClass::stalled;
  return classes;
}

PairClass class_of_pair(const DestinationStates& plays, std::span<const PairClass> states, TerminalId source,
                        SourceRole role) {
  const auto class_after = [&](const Move& move) {
    return move.enters() ? states[move.next] : PairClass::stalled;
  };
  const auto injections = plays.injections_of(source);
  if (injections.empty()) return PairClass::refused;
  if (role == SourceRole::any) return std::ranges::max(injections | std::views::transform(class_after));
  const bool wins = std::ranges::any_of(
      injections, [&](const Move& move) { return class_after(move) == PairClass::served; });
  return wins ? PairClass::served : PairClass::refused;
}

}  // namespace faultline
