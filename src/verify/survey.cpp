// SPDX-License-Identifier: Apache-2.0
#include "verify/survey.h"

#include <algorithm>

#include "verify/walk.h"

namespace faultline {
namespace {

/// What may become of a packet in each state.
struct Fate {
  std::vector<bool> may_fail;  ///< may come to a state without options, or never reach the destination
  std::vector<std::uint32_t>
      hops;  ///< most switches still to traverse, its own included (where there is a bound)
};

/// Deepest states first; where walks can be endless, repeated until nothing changes any more.
Fate fate_of(const DestinationStates& states, const StateOrder& order) {
  Fate fate{std::vector<bool>(states.count()), std::vector<std::uint32_t>(states.count(), 0)};
  std::vector<bool> can_arrive(states.count());
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t state : order.last_first) {
      if (can_arrive[state]) continue;
      can_arrive[state] =
          std::ranges::any_of(states.moves_of(state), [&](const DestinationStates::Move& move) {
            return move.next == DestinationStates::ejected || can_arrive[move.next];
          });
      changed = changed || (can_arrive[state] && !order.cycle.empty());
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t state : order.last_first) {
      std::uint32_t hops = 0;
      bool may_fail = !can_arrive[state];
      for (const DestinationStates::Move& move : states.moves_of(state)) {
        if (move.next == DestinationStates::ejected) continue;
        hops = std::max(hops, fate.hops[move.next]);
        may_fail = may_fail || fate.may_fail[move.next];
      }
      changed = changed || (may_fail != fate.may_fail[state] && !order.cycle.empty());
      fate.hops[state] = hops + 1;
      fate.may_fail[state] = may_fail;
    }
  }
  return fate;
}

bool any_alive(std::span<const ChannelId> channels, const FaultSet& dead) {
  return std::ranges::any_of(channels, [&](ChannelId channel) { return !dead.failed(channel); });
}

class Surveyor {
 public:
  Surveyor(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
           const VerifySpec& spec)
      : relation_(relation), dead_(dead), buffers_(buffers), spec_(spec), dependencies_(buffers) {
    survey_.escape_buffers.resize(buffers.count());
    survey_.verdict.max_hops = 0;
  }

  void visit(TerminalId destination) {
    const DestinationStates states = enumerate_states(relation_, destination, dead_);
    const StateOrder order = order_states(states, [](const DestinationStates::Move&) { return true; });
    Verdict& verdict = survey_.verdict;
    verdict.states += states.count();
    verdict.moves += states.moves.size();
    if (!order.cycle.empty() && verdict.max_hops) {
      verdict.max_hops.reset();
      verdict.endless_walk = order.cycle;
    }
    judge_pairs(destination, states, fate_of(states, order));
    note_escapes(states);
    dependencies_.add(states, [](const DestinationStates::Move&) { return true; });
  }

  Survey result() && {
    survey_.dependencies = dependencies_.graph();
    survey_.verdict.dependencies = survey_.dependencies.successors.size();
    return std::move(survey_);
  }

 private:
  void judge_pairs(TerminalId destination, const DestinationStates& states, const Fate& fate) {
    Verdict& verdict = survey_.verdict;
    const Topology& topology = relation_.topology();
    const bool listening = any_alive(topology.ejection(destination), dead_);
    for (const TerminalId source : topology.terminals()) {
      if (source == destination) continue;
      const auto injections = states.injections_of(source);
      bool arrives = !injections.empty();
      for (const DestinationStates::Move& move : injections) {
        arrives = arrives && !fate.may_fail[move.next];
        if (verdict.max_hops) verdict.max_hops = std::max(*verdict.max_hops, fate.hops[move.next]);
      }
      if (arrives || !listening || !any_alive(topology.injection(source), dead_)) continue;
      ++verdict.unreachable_pairs;
      if (verdict.unreachable.size() < spec_.listed_pairs)
        verdict.unreachable.emplace_back(source, destination);
    }
  }

  void note_escapes(const DestinationStates& states) {
    for (std::size_t state = 0; state < states.count(); ++state) {
      bool open = false;
      for (const DestinationStates::Move& move : states.moves_of(state)) {
        open = open || move.escape;
        survey_.has_adaptive_moves = survey_.has_adaptive_moves || !move.escape;
        if (move.escape && move.next != DestinationStates::ejected)
          survey_.escape_buffers[buffers_.number(move.channel, move.vc)] = true;
      }
      survey_.escape_is_open = survey_.escape_is_open && open;
    }
  }

  const RoutingRelation& relation_;
  const FaultSet& dead_;
  const Buffers& buffers_;
  const VerifySpec& spec_;
  DirectDependencies dependencies_;
  Survey survey_;
};

}  // namespace

Survey survey(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
              const VerifySpec& spec, const Progress& progress) {
  Surveyor surveyor(relation, dead, buffers, spec);
  const std::size_t destinations = relation.topology().terminal_count();
  for (const TerminalId destination : relation.topology().terminals()) {
    end_if_set(spec.stop);
    surveyor.visit(destination);
    if (progress) progress("destinations", destination.index() + 1, destinations);
  }
  return std::move(surveyor).result();
}

}  // namespace faultline
