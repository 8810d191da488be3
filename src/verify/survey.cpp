// SPDX-License-Identifier: Apache-2.0
#include "verify/survey.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "base/arena.h"
#include "faultline/routing/alike.h"
#include "faultline/routing/backwards.h"
#include "faultline/routing/destination_orbits.h"
#include "faultline/routing/strong_components.h"
#include "faultline/routing/walk.h"

namespace faultline {
namespace {

/// Most switches still to traverse from each state, its own included, where there is a bound.
std::vector<std::uint32_t> max_hops(const DestinationStates& states, const StateOrder& order) {
  std::vector<std::uint32_t> hops(states.count());
  for (const std::uint32_t state : order.last_first) {
    std::uint32_t most = 0;
    for (const DestinationStates::Move& move : states.moves_of(state))
      if (move.enters()) most = std::max(most, hops[move.next]);
    hops[state] = most + 1;
  }
  return hops;
}

/// Faults have cut the terminal off; one that has no channels was never connected.
bool are_cut(std::span<const ChannelId> channels, const FaultSet& dead) {
  return !channels.empty() && dead.all_failed(channels);
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
    if (last_.valid() && dead_.empty() && alike_.alike(plays_.switches, last_, destination)) {
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

  /// Visits a destination that stands for `copies`, itself included. False where it cannot: not all pairs
  /// arrive, and each that does not is to be named.
  bool visit_for(TerminalId representative, std::uint64_t copies) {
    const Verdict before = survey_.verdict;
    enumerate(representative);
    if (!all_arrive_) return false;
    Verdict& verdict = survey_.verdict;
    verdict.states += (copies - 1) * (verdict.states - before.states);
    verdict.moves += (copies - 1) * (verdict.moves - before.moves);
    for (std::size_t i = 0; i < pair_class_count; ++i)
      verdict.pairs.of[i] += (copies - 1) * (verdict.pairs.of[i] - before.pairs.of[i]);
    return true;
  }

  /// What holds of the destinations visited holds of their orbits.
  void close_under(const DestinationOrbits& orbits) {
    dependencies_.close_under(orbits);
    for (std::size_t i = orbits.generators().size(); i-- > 0;) {  // the word's last letter acts first
      const Automorphism& one = orbits.generators()[i];
      for (std::uint32_t power = 1; power < orbits.orders()[i]; ++power)
        for (std::uint32_t buffer = 0; buffer < survey_.escape_buffers.size(); ++buffer)
          if (survey_.escape_buffers[buffer]) {
            const VirtualChannel at = buffers_.at(buffer);
            survey_.escape_buffers[buffers_.number(one.channels[at.channel.index()], at.vc)] = true;
          }
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
    survey_.has_closed_options = survey_.has_closed_options || later.survey_.has_closed_options;
    survey_.has_unnumbered = survey_.has_unnumbered || later.survey_.has_unnumbered;
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
    circulating_.clear();
    if (spec_.listed_livelocks != 0 && !order.cycle.empty()) circulating_ = circulating_states();
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
    if (verdict.max_hops) note_hops(plays_, max_hops(plays_, order));
    note_escapes(plays_);
    note_options(plays_);
    dependencies_.add(plays_, [](const DestinationStates::Move&) { return true; });
  }

  /// The pairs of `destination`, to which packets travel as to `last_`: as a source, the one stands for the
  /// other.
  PairCounts judge_pairs(TerminalId destination) {
    Verdict& verdict = survey_.verdict;
    PairCounts counts;
    const Topology& topology = relation_.topology();
    const bool is_off = are_cut(topology.ejection(destination), dead_);
    for (const TerminalId source : topology.terminals()) {
      if (source == destination) continue;
      const TerminalId like = source == last_ ? destination : source;
      const PairClass pair = class_of_pair(plays_, classes_, like, spec_.source);
      counts.add(pair);
      if (pair > PairClass::likely && verdict.livelocks.size() < spec_.listed_livelocks &&
          may_circulate(like))
        verdict.livelocks.emplace_back(source, destination);
      if (pair <= PairClass::likely || is_off || are_cut(topology.injection(source), dead_)) continue;
      ++verdict.unreachable_pairs;
      if (verdict.unreachable.size() < spec_.listed_pairs)
        verdict.unreachable.emplace_back(source, destination);
    }
    add_pairs(counts);
    return counts;
  }

  /// Packets of the source may also get stuck, or arrive, but may travel for ever.
  [[nodiscard]] bool may_circulate(TerminalId source) const {
    return std::ranges::any_of(plays_.injections_of(source), [&](const DestinationStates::Move& move) {
      return !circulating_.empty() && move.enters() && circulating_[move.next];
    });
  }

  /// By state: whether it leads to states that lead back to each other and from which packets do not arrive
  /// with probability one.
  [[nodiscard]] std::vector<bool> circulating_states() const {
    std::vector<bool> found(plays_.count());
    std::vector<std::uint32_t> queue;
    const auto find = [&](std::uint32_t state) {
      if (found[state]) return;
      found[state] = true;
      queue.push_back(state);
    };
    for (const StateGroup& group : strong_components(plays_))
      if (group.cyclic && classes_[group.states.front()] > PairClass::likely)  // the same for all of a group
        std::ranges::for_each(group.states, find);
    const Backwards backwards(plays_, [](const DestinationStates::Move&) { return true; });
    backwards.spread(queue, [&](std::uint32_t before, std::uint32_t) { find(before); });
    return found;
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

  /// Where a packet may commit to an option that has no escape.
  void note_options(const DestinationStates& states) {
    for (std::size_t state = 0; state < states.count(); ++state) {
      const auto moves = states.moves_of(state);
      if (moves.empty()) continue;
      const bool is_unnumbered = moves.back().option == DestinationStates::unnumbered;
      survey_.has_unnumbered = survey_.has_unnumbered || is_unnumbered;
      for (std::size_t i = 0, end = 0; i < moves.size(); i = end) {
        bool open = false;
        for (; end < moves.size() && moves[end].option == moves[i].option; ++end)
          open = open || moves[end].escape;
        survey_.has_closed_options = survey_.has_closed_options || is_unnumbered || !open;
      }
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
  std::vector<bool> circulating_;  ///< by state; empty where no states lead back to each other
  PairCounts last_pairs_;
  bool all_arrive_ = false;
};

/// Reports progress, in destinations.
class Finished {
 public:
  Finished(const Progress& progress, std::size_t destinations)
      : progress_(progress), destinations_(destinations) {
    begin();
  }

  /// All destinations are visited, maybe again.
  void begin() {
    done_ = 0;
    if (progress_) progress_("destinations", 0, destinations_);
  }
  void add(std::size_t destinations) {
    if (!progress_) return;
    const std::scoped_lock lock(telling_);
    progress_("destinations", done_ += destinations, destinations_);
  }

 private:
  const Progress& progress_;
  std::size_t destinations_;
  std::uint64_t done_ = 0;
  std::mutex telling_;
};

/// Visits one destination of each orbit that `relation` follows, and names those that remain to be visited:
/// all, and nothing was visited, where not every pair arrives.
std::vector<TerminalId> visit_orbits(std::unique_ptr<Surveyor>& surveyor, const RoutingRelation& relation,
                                     const FaultSet& dead, const Buffers& buffers, const VerifySpec& spec,
                                     Finished& finished) {
  const auto all = relation.topology().terminals();
  std::vector<TerminalId> rest(all.begin(), all.end());
  if (!dead.empty() || !compares_by_output_bits(relation)) return rest;
  const DestinationOrbits orbits(relation.topology());
  if (orbits.words() == 1) return rest;
  std::vector<bool> visited(rest.size());
  for (const TerminalId representative : orbits.representatives(relation.topology())) {
    const std::vector<TerminalId> members = orbits.members(representative);
    if (!follows(relation, orbits, members, spec.threads, spec.stop)) continue;
    if (!surveyor->visit_for(representative, members.size())) {
      surveyor = std::make_unique<Surveyor>(relation, dead, buffers, spec);
      finished.begin();
      return rest;
    }
    for (const TerminalId member : members) visited[member.index()] = true;
    finished.add(members.size());
  }
  surveyor->close_under(orbits);
  std::erase_if(rest, [&](TerminalId one) { return visited[one.index()]; });
  return rest;
}

}  // namespace

Survey survey(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
              const VerifySpec& spec, const Progress& progress) {
  Finished finished(progress, relation.topology().terminal_count());
  auto whole = std::make_unique<Surveyor>(relation, dead, buffers, spec);
  const std::vector<TerminalId> rest = visit_orbits(whole, relation, dead, buffers, spec, finished);
  std::vector<std::unique_ptr<Surveyor>> parts(
      std::min<std::size_t>(std::max(spec.threads, 1U), rest.size()));
  for (auto& part : parts) part = std::make_unique<Surveyor>(relation, dead, buffers, spec);
  const auto survey_part = [&](std::size_t part) {
    for (std::size_t i = rest.size() * part / parts.size(); i < rest.size() * (part + 1) / parts.size();
         ++i) {
      end_if_set(spec.stop);
      parts[part]->visit(rest[i]);
      finished.add(1);
    }
  };
  tbb::task_arena arena(arena_threads(parts.size()));
  arena.execute(
      [&] { tbb::parallel_for(std::size_t{0}, parts.size(), survey_part, tbb::simple_partitioner{}); });
  for (const auto& part : parts) whole->absorb(*part);
  return std::move(*whole).result();
}

}  // namespace faultline
