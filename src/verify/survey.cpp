// SPDX-License-Identifier: Apache-2.0
#include "verify/survey.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "routing/alike.h"
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
      : relation_(relation),
        dead_(dead),
        buffers_(buffers),
        spec_(spec),
        alike_(relation),
        dependencies_(buffers) {
    survey_.escape_buffers.resize(buffers.count());
    survey_.verdict.max_hops = 0;
  }

  /// As much as `last` visited, without enumerating again where it is alike.
  void visit(TerminalId destination) {
    if (last_.valid() && dead_.empty() && alike_.alike(plays_, last_, destination)) {
      survey_.verdict.states += plays_.count();
      survey_.verdict.moves += plays_.moves.size();
      if (all_arrive_)
        add_pairs(last_pairs_);
      else
        judge_pairs(destination);
    } else {
      enumerate(destination);
    }
  }

  /// Takes over what has been found about later destinations.
  void absorb(Surveyor& later) {
    Verdict& verdict = survey_.verdict;
    const Verdict& other = later.survey_.verdict;
    verdict.states += other.states;
    verdict.moves += other.moves;
    add_pairs(other.pairs);
    verdict.unreachable_pairs += other.unreachable_pairs;
    for (const auto& pair : other.unreachable)
      if (verdict.unreachable.size() < spec_.listed_pairs) verdict.unreachable.push_back(pair);
    for (const auto& pair : other.livelocks)
      if (verdict.livelocks.size() < spec_.listed_livelocks) verdict.livelocks.push_back(pair);
    if (verdict.max_hops && !other.max_hops) verdict.endless_walk = other.endless_walk;
    verdict.max_hops = verdict.max_hops && other.max_hops
                           ? std::optional(std::max(*verdict.max_hops, *other.max_hops))
                           : std::nullopt;
    survey_.has_adaptive_moves = survey_.has_adaptive_moves || later.survey_.has_adaptive_moves;
    survey_.escape_is_open = survey_.escape_is_open && later.survey_.escape_is_open;
    for (std::size_t buffer = 0; buffer < survey_.escape_buffers.size(); ++buffer)
      if (later.survey_.escape_buffers[buffer]) survey_.escape_buffers[buffer] = true;
    dependencies_.absorb(later.dependencies_);
  }

  Survey result() && {
    survey_.dependencies = dependencies_.graph();
    survey_.verdict.dependencies = survey_.dependencies.successors.size();
    return std::move(survey_);
  }

 private:
  void enumerate(TerminalId destination) {
    plays_ = enumerate_plays(relation_, destination, dead_);
    last_ = destination;
    const StateOrder order = order_states(plays_, [](const DestinationStates::Move&) { return true; });
    classes_ = order.cycle.empty() ? classes_of_states(plays_, order.last_first) : classes_of_states(plays_);
    Verdict& verdict = survey_.verdict;
    const std::uint64_t unreachable = verdict.unreachable_pairs;
    last_pairs_ = judge_pairs(destination);
    all_arrive_ = verdict.unreachable_pairs == unreachable;
    drop_lost(plays_);
    verdict.states += plays_.count();
    verdict.moves += plays_.moves.size();
    if (!order.cycle.empty() && verdict.max_hops) {
      verdict.max_hops.reset();
      verdict.endless_walk = order.cycle;
    }
    if (verdict.max_hops) note_hops(plays_, most_hops(plays_, order));
    note_escapes(plays_);
    dependencies_.add(plays_, [](const DestinationStates::Move&) { return true; });
  }

  /// The pairs of `destination`, to which packets travel as to `last_`: as a source, the one stands for the
  /// other.
  PairCounts judge_pairs(TerminalId destination) {
    Verdict& verdict = survey_.verdict;
    PairCounts counts;
    const Topology& topology = relation_.topology();
    const bool listening = any_alive(topology.ejection(destination), dead_);
    for (const TerminalId source : topology.terminals()) {
      if (source == destination) continue;
      const TerminalId like = source == last_ ? destination : source;
      const PairClass pair = class_of_pair(plays_, classes_, like, spec_.source);
      counts.add(pair);
      if (pair == PairClass::livelock && verdict.livelocks.size() < spec_.listed_livelocks)
        verdict.livelocks.emplace_back(source, destination);
      if (pair <= PairClass::likely || !listening || !any_alive(topology.injection(source), dead_)) continue;
      ++verdict.unreachable_pairs;
      if (verdict.unreachable.size() < spec_.listed_pairs)
        verdict.unreachable.emplace_back(source, destination);
    }
    add_pairs(counts);
    return counts;
  }

  void add_pairs(const PairCounts& counts) {
    for (std::size_t i = 0; i < pair_class_count; ++i) survey_.verdict.pairs.of[i] += counts.of[i];
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
  AlikeDestinations alike_;
  DirectDependencies dependencies_;
  Survey survey_;
  TerminalId last_;  ///< the destination that was enumerated last, with what was found
  DestinationStates plays_;
  std::vector<PairClass> classes_;
  PairCounts last_pairs_;
  bool all_arrive_ = false;
};

}  // namespace

Survey survey(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
              const VerifySpec& spec, const Progress& progress) {
  const auto destinations = static_cast<std::uint32_t>(relation.topology().terminal_count());
  const std::uint32_t parts = std::clamp(spec.threads, 1U, std::max(destinations, 1U));
  std::vector<std::unique_ptr<Surveyor>> surveyors;
  for (std::uint32_t part = 0; part < parts; ++part)
    surveyors.push_back(std::make_unique<Surveyor>(relation, dead, buffers, spec));
  std::atomic<std::uint64_t> done = 0;
  std::mutex telling;
  const auto survey_part = [&](std::uint32_t part) {
    const auto first = static_cast<std::uint32_t>(std::uint64_t{destinations} * part / parts);
    const auto end = static_cast<std::uint32_t>(std::uint64_t{destinations} * (part + 1) / parts);
    for (const TerminalId destination : id_range<TerminalId>(first, end)) {
      end_if_set(spec.stop);
      surveyors[part]->visit(destination);
      const std::uint64_t so_far = ++done;
      if (!progress) continue;
      const std::scoped_lock lock(telling);
      progress("destinations", so_far, destinations);
    }
  };
  tbb::task_arena arena(static_cast<int>(parts));
  arena.execute([&] { tbb::parallel_for(0U, parts, survey_part, tbb::simple_partitioner{}); });
  for (std::uint32_t part = 1; part < parts; ++part) surveyors.front()->absorb(*surveyors[part]);
  return std::move(*surveyors.front()).result();
}

}  // namespace faultline
