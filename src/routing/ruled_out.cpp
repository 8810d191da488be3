// SPDX-License-Identifier: Apache-2.0
#include "routing/ruled_out.h"

#include "faultline/routing/backwards.h"
#include "faultline/routing/pair_classes.h"
#include "faultline/routing/strong_components.h"

namespace faultline {
namespace {

using Move = DestinationStates::Move;
constexpr std::uint32_t unreachable = ~std::uint32_t{0};

/// Channels of the shortest living path from each state to the terminal.
std::vector<std::uint32_t> distances(const DestinationStates& states, const FaultSet& dead) {
  const auto lives = [&](const Move& move) { return !dead.failed(move.channel); };
  std::vector<std::uint32_t> distance(states.count(), unreachable), queue;
  for (std::uint32_t state = 0; state < states.count(); ++state)
    if (std::ranges::any_of(states.moves_of(state),
                            [&](const Move& move) { return lives(move) && !move.enters(); })) {
      distance[state] = 1;
      queue.push_back(state);
    }
  Backwards(states, lives).spread(queue, [&](std::uint32_t before, std::uint32_t state) {
    if (distance[before] != unreachable) return;
    distance[before] = distance[state] + 1;
    queue.push_back(before);
  });
  return distance;
}

/// Keeps the moves that lead on over living channels.
void keep_leading_on(DestinationStates& states, const FaultSet& dead,
                     const std::vector<std::uint32_t>& distance) {
  std::uint32_t kept = 0, first = 0;
  for (std::size_t state = 0; state < states.count(); ++state) {
    const std::uint32_t end = states.offsets[state + 1];
    for (std::uint32_t i = first; i < end; ++i) {
      const Move& move = states.moves[i];
      if (dead.failed(move.channel) || (move.enters() && distance[move.next] == unreachable)) continue;
      states.moves[kept++] = move;
    }
    first = end;
    states.offsets[state + 1] = kept;
  }
  states.moves.resize(kept);
}

RuledOut by_all(const RoutingRelation& relation, DestinationStates states, const FaultSet& dead) {
  RuledOut out{.entered = StateSet(relation)};
  const std::vector<std::uint32_t> distance = distances(states, dead);
  for (std::uint32_t state = 0; state < states.count(); ++state)
    if (distance[state] == unreachable) out.entered.insert(states.keys[state]);
  keep_leading_on(states, dead, distance);
  std::uint32_t round = 0;
  for (const StateGroup& group : strong_components(states)) {
    if (!group.cyclic) continue;
    for (const std::uint32_t state : group.states)
      out.rounds.emplace(states.keys[state], RuledOut::Rank{round, distance[state]});
    ++round;
  }
  return out;
}

/// States after whose moves every path meets a dead channel among its first `length`.
RuledOut by_radius(const RoutingRelation& relation, const DestinationStates& states, const FaultSet& dead,
                   std::uint32_t length) {
  std::vector<bool> open(states.count(), true);
  for (std::uint32_t ways = 1; ways <= length; ++ways) {
    std::vector<bool> longer(states.count());
    for (std::uint32_t state = 0; state < states.count(); ++state)
      longer[state] = std::ranges::any_of(states.moves_of(state), [&](const Move& move) {
        return !dead.failed(move.channel) && (!move.enters() || open[move.next]);
      });
    if (longer == open) break;
    open = std::move(longer);
  }
  RuledOut out{.entered = StateSet(relation)};
  for (std::uint32_t state = 0; state < states.count(); ++state)
    if (!open[state]) out.entered.insert(states.keys[state]);
  return out;
}

}  // namespace

RuledOut ruled_out(const RoutingRelation& relation, TerminalId destination, const FaultSet& dead,
                   Knowledge knowledge) {
  DestinationStates states = enumerate_states(relation, destination);
  if (knowledge.is_all()) return by_all(relation, std::move(states), dead);
  return by_radius(relation, states, dead, knowledge.radius() - 1);
}

StateKeys losing_starts(const RoutingRelation& relation, TerminalId destination, const FaultSet& dead) {
  const DestinationStates plays = enumerate_plays(relation, destination, dead);
  const std::vector<PairClass> classes = classes_of_states(plays);
  StateKeys losing;
  for (const Move& move : plays.injections)
    if (move.enters() && classes[move.next] != PairClass::served) losing.insert(plays.keys[move.next]);
  return losing;
}

}  // namespace faultline
