// SPDX-License-Identifier: Apache-2.0
#include "verify/survey.h"

#include <algorithm>

#include "routing/walk.h"

namespace faultline {
namespace {

/// Most switches still to traverse from each state, its own included, where there is a bound.
std::vector<std::uint32_t> most_hops(const DestinationStates& states, const StateOrder& order) {
  std::vector<std::uint32_t> hops(states.count());
  for (const std::uint32_t state : order.last_first) {
    std::uint32_t most = 0;
    for (const DestinationStates::Move& move : states.moves_of(state))
      if (move.enters()) most = std::max(most, hops[move.next]);
    hops[state] = most + 1;
  }
  return hops;
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
    DestinationStates states = enumerate_plays(relation_, destination, dead_);
    judge_pairs(destination, states);
    drop_lost(states);
    const StateOrder order = order_states(states, [](const DestinationStates::Move&) { return true; });
    Verdict& verdict = survey_.verdict;
    verdict.states += states.count();
    verdict.moves += states.moves.size();
    if (!order.cycle.empty() && verdict.max_hops) {
      verdict.max_hops.reset();
      verdict.endless_walk = order.cycle;
    }
    if (verdict.max_hops) note_hops(states, most_hops(states, order));
    note_escapes(states);
    dependencies_.add(states, [](const DestinationStates::Move&) { return true; });
  }

  Survey result() && {
    survey_.dependencies = dependencies_.graph();
    survey_.verdict.dependencies = survey_.dependencies.successors.size();
    return std::move(survey_);
  }

 private:
  void judge_pairs(TerminalId destination, const DestinationStates& plays) {
    Verdict& verdict = survey_.verdict;
    const Topology& topology = relation_.topology();
    const std::vector<PairClass> classes = classes_of_states(plays);
    const bool listening = any_alive(topology.ejection(destination), dead_);
    for (const TerminalId source : topology.terminals()) {
      if (source == destination) continue;
      const PairClass pair = class_of_pair(plays, classes, source, spec_.source);
      verdict.pairs.add(pair);
      if (pair <= PairClass::likely || !listening || !any_alive(topology.injection(source), dead_)) continue;
      ++verdict.unreachable_pairs;
      if (verdict.unreachable.size() < spec_.listed_pairs)
        verdict.unreachable.emplace_back(source, destination);
    }
  }

  void note_hops(const DestinationStates& states, const std::vector<std::uint32_t>& hops) {
    for (const DestinationStates::Move& move : states.injections)
      survey_.verdict.max_hops = std::max(*survey_.verdict.max_hops, hops[move.next]);
  }

  void note_escapes(const DestinationStates& states) {
    for (std::size_t state = 0; state < states.count(); ++state) {
      bool open = states.moves_of(state).empty();  // a stuck packet is removed
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
