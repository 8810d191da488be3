// SPDX-License-Identifier: Apache-2.0
// What switches rule out and the class of each pair, against a brute force that follows every play and
// restates the definitions: it uses nothing of the library but the tables of the relation.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <set>

#include "faultline/routing/admissible.h"
#include "faultline/routing/pair_classes.h"
#include "resilience/evaluate/evaluator.h"
#include "support/effort.h"
#include "support/tiny_relation.h"

namespace faultline {
namespace {

using Key = TinyRelation::KeyOrder;

struct TooLong {};

class Plays {
 public:
  Plays(const TinyRelation& relation, const FaultSet& dead, Knowledge switches, SourceRole source,
        TerminalId destination)
      : relation_(relation),
        topology_(relation.topology()),
        dead_(dead),
        switches_(switches),
        source_(source),
        destination_(destination) {}

  PairClass judge(TerminalId source) {
    const std::vector<Step> offered = offered_by(source);
    if (offered.empty()) return PairClass::refused;
    PairClass worst = PairClass::served;
    for (const Step& step : offered)
      worst = std::max(worst, is_dead(step) ? PairClass::stalled : judge_state(*step.next));
    return worst;
  }

  /// States of all plays.
  std::set<Key> states() {
    std::set<Key> seen;
    std::vector<Key> todo;
    const auto note = [&](const std::vector<Step>& steps) {
      for (const Step& step : steps)
        if (!is_dead(step) && step.next && seen.insert(*step.next).second) todo.push_back(*step.next);
    };
    for (const TerminalId source : topology_.terminals())
      if (source != destination_) note(offered_by(source));
    while (!todo.empty()) {
      const Key state = todo.back();
      todo.pop_back();
      note(may(state));
    }
    return seen;
  }

 private:
  struct Step {
    ChannelId channel;
    std::optional<Key> next;  ///< nothing: ejected
    int tier;
  };

  std::vector<Step> steps(const RouteOptions& options) const {
    std::vector<Step> result;
    for (const RouteOption& option : options)
      for (std::uint8_t vc = 0; vc < 8; ++vc) {
        if ((option.vcs >> vc & 1U) == 0) continue;
        std::optional<Key> next;
        if (topology_.role(option.channel) != ChannelRole::ejection)
          next = relation_.reads_held_channel()
                     ? Key{destination_.value(), option.channel.value(), vc, option.tag}
                     : Key{destination_.value(), topology_.target(option.channel).value(), 0, option.tag};
        result.push_back({option.channel, next, option.tier});
      }
    return result;
  }
  std::vector<Step> raw(const Key& state) const { return steps(relation_.routes.at(state)); }
  bool is_dead(const Step& step) const { return dead_.failed(step.channel); }

  /// Some walk of up to `length` channels, this one first, meets nothing dead.
  bool free_ahead(const Step& step, std::uint32_t length) const {
    if (is_dead(step)) return false;
    if (length == 1 || !step.next) return true;
    for (const Step& next : raw(*step.next))
      if (free_ahead(next, length - 1)) return true;
    return false;
  }

  /// Living channels to the terminal, by a search of growing depth.
  std::optional<int> distance(const Key& from) const {
    std::deque<std::pair<Key, int>> queue{{from, 0}};
    std::set<Key> seen{from};
    for (; !queue.empty(); queue.pop_front())
      for (const Step& step : raw(queue.front().first)) {
        if (is_dead(step)) continue;
        if (!step.next) return queue.front().second + 1;
        if (seen.insert(*step.next).second) queue.emplace_back(*step.next, queue.front().second + 1);
      }
    return std::nullopt;
  }
  bool leads_on(const Step& step) const { return !is_dead(step) && (!step.next || distance(*step.next)); }

  bool comes_back(const Key& start, const Key& goal) const {
    std::vector<Key> todo{start};
    std::set<Key> seen{start};
    while (!todo.empty()) {
      const Key here = todo.back();
      todo.pop_back();
      if (here == goal) return true;
      for (const Step& step : raw(here))
        if (step.next && leads_on(step) && seen.insert(*step.next).second) todo.push_back(*step.next);
    }
    return false;
  }

  static std::vector<Step> first_tier(std::vector<Step> steps) {
    int lowest = 1000;
    for (const Step& step : steps) lowest = std::min(lowest, step.tier);
    std::erase_if(steps, [&](const Step& step) { return step.tier > lowest; });
    return steps;
  }

  bool keeps(const Step& step) const {
    if (switches_.is_none()) return true;
    if (switches_.is_all()) return leads_on(step);
    return free_ahead(step, switches_.radius());
  }

  const std::vector<Step>& may(const Key& state) {
    if (const auto known = may_.find(state); known != may_.end()) return known->second;
    std::vector<Step> kept;
    for (const Step& step : raw(state)) {
      if (!keeps(step)) continue;
      if (switches_.is_all() && step.next && comes_back(*step.next, state) &&
          *distance(*step.next) >= *distance(state))
        continue;
      kept.push_back(step);
    }
    return may_[state] = first_tier(std::move(kept));
  }

  std::vector<Step> offered_by(TerminalId source) {
    std::vector<Step> kept;
    for (const Step& step : steps(relation_.injections.at({source.value(), destination_.value()})))
      if (source_ == SourceRole::plan ? !is_dead(step) && judge_state(*step.next) == PairClass::served
                                      : keeps(step))
        kept.push_back(step);
    return first_tier(std::move(kept));
  }

  struct Outcome {
    bool stops = false, comes_round = false;
    std::set<Key> visited;
  };

  /// Every play, one after the other, each until it arrives, stops or comes to a state for the second time.
  void play(const Key& state, std::set<Key>& path, Outcome& outcome) {
    if (++played_ > 20'000) throw TooLong{};
    outcome.visited.insert(state);
    path.insert(state);
    if (may(state).empty()) outcome.stops = true;
    for (const Step& step : std::vector<Step>(may(state))) {
      if (is_dead(step))
        outcome.stops = true;
      else if (step.next && path.contains(*step.next))
        outcome.comes_round = true;
      else if (step.next)
        play(*step.next, path, outcome);
    }
    path.erase(state);
  }

  bool can_arrive(const Key& state, std::set<Key>& path) {
    if (++played_ > 20'000) throw TooLong{};
    path.insert(state);
    bool arrives = false;
    for (const Step& step : std::vector<Step>(may(state)))
      arrives = arrives || (!is_dead(step) &&
                            (!step.next || (!path.contains(*step.next) && can_arrive(*step.next, path))));
    path.erase(state);
    return arrives;
  }

  PairClass judge_state(const Key& state) {
    if (const auto known = classes_.find(state); known != classes_.end()) return known->second;
    Outcome outcome;
    std::set<Key> path;
    play(state, path, outcome);
    PairClass result = PairClass::served;
    if (outcome.stops) {
      result = PairClass::stalled;
    } else if (outcome.comes_round) {
      result = PairClass::likely;
      for (const Key& visited : outcome.visited)
        if (!can_arrive(visited, path)) result = PairClass::livelock;
    }
    return classes_[state] = result;
  }

  const TinyRelation& relation_;
  const Topology& topology_;
  const FaultSet& dead_;
  Knowledge switches_;
  SourceRole source_;
  TerminalId destination_;
  std::map<Key, std::vector<Step>> may_;
  std::map<Key, PairClass> classes_;
  int played_ = 0;
};

struct Tally {
  PairCounts pairs;
  int too_long = 0;
};

void compare(const std::shared_ptr<const TinyRelation>& relation, const FaultSet& dead, Knowledge knowledge,
             SourceRole role, Tally& tally) {
  const RelationPtr used = admissible_relation(relation, {dead, knowledge, role});
  const RelationPtr tried = admissible_relation(relation, {dead, knowledge, role}, SourceOffers::every_start);
  for (const TerminalId destination : relation->topology().terminals()) {
    Plays plays(*relation, dead, knowledge, role, destination);
    const DestinationStates states = enumerate_plays(*used, destination, dead);
    const DestinationStates all_tried = enumerate_plays(*tried, destination, dead);
    const std::vector<PairClass> classes = classes_of_states(states);
    const std::vector<PairClass> tried_classes = classes_of_states(all_tried);
    try {
      std::set<Key> keys;
      for (const StateKey& key : states.keys) keys.insert(TinyRelation::order(destination, key));
      EXPECT_EQ(keys, plays.states());
      for (const TerminalId source : relation->topology().terminals()) {
        if (source == destination) continue;
        const PairClass expected = plays.judge(source);
        EXPECT_EQ(to_string(class_of_pair(states, classes, source, role)), to_string(expected));
        EXPECT_EQ(to_string(class_of_pair(all_tried, tried_classes, source, role)), to_string(expected));
        tally.pairs.add(expected);
      }
    } catch (const TooLong&) {
      ++tally.too_long;
    }
  }
}

TEST(Knowledge, EveryPairIsWhatWalkingEveryPlaySays) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= effort(400U, 30U) && !testing::Test::HasFailure(); ++seed) {
    TinyNetworks networks(seed);
    const auto relation = networks.draw();
    const FaultSet dead = networks.draw_dead(relation->topology());
    for (const Knowledge knowledge : {Knowledge::none(), Knowledge::neighbours(), Knowledge::within(2),
                                      Knowledge::within(3), Knowledge::all()})
      for (const SourceRole role : {SourceRole::any, SourceRole::plan}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", knowledge " + to_string(knowledge) + ", source " +
                     std::string(to_string(role)));
        compare(relation, dead, knowledge, role, tally);
      }
  }
  for (const std::uint64_t pairs : tally.pairs.of) EXPECT_GT(pairs, effort(50U, 3U));
  EXPECT_LT(tally.too_long, 400);
}

/// Pairs that are not served, according to the brute force; nothing if that takes too long.
std::optional<std::uint64_t> lost_pairs(const TinyRelation& relation, const FaultSet& dead,
                                        Knowledge knowledge, SourceRole role) try {
  std::uint64_t lost = 0;
  for (const TerminalId destination : relation.topology().terminals()) {
    Plays plays(relation, dead, knowledge, role, destination);
    for (const TerminalId source : relation.topology().terminals())
      if (source != destination && plays.judge(source) != PairClass::served) ++lost;
  }
  return lost;
} catch (const TooLong&) {
  return std::nullopt;
}

struct JudgedSets {
  int judged = 0, too_long = 0;
};

/// All sets of up to one channel, and some of two.
void expect_circuits_agree(const std::shared_ptr<const TinyRelation>& relation, FaultScope scope,
                           Knowledge knowledge, SourceRole role, JudgedSets& sets) {
  const FaultComponents components(relation->shared_topology(), FaultUnit::channel, scope);
  const survival::Subject subject{relation, Survival::fixed_paths, components, knowledge, role};
  const auto word = survival::make_evaluator(subject, "word");
  const auto reference = survival::make_reference_evaluator(subject);
  survival::Verdicts verdicts;
  const auto check = [&](const std::vector<std::uint32_t>& set) {
    const auto expected = lost_pairs(*relation, components.fault_set(set), knowledge, role);
    ++(expected ? sets.judged : sets.too_long);
    if (!expected) return;
    for (const auto* evaluator : {&word, &reference}) {
      (*evaluator)->evaluate({static_cast<std::uint32_t>(set.size()), 1, set}, verdicts);
      ASSERT_EQ(verdicts.lost_pairs.front(), *expected) << (evaluator == &word ? "circuit" : "reference");
    }
  };
  const auto count = static_cast<std::uint32_t>(components.count());
  check({});
  for (std::uint32_t a = 0; a < count; ++a) {
    check({a});
    for (std::uint32_t b = a + 1; b < count; b += 1 + a % 3) check({a, b});
  }
}

TEST(Knowledge, CircuitsLoseThePairsThatTheGameLoses) {
  JudgedSets sets;
  for (std::uint64_t seed = 1; seed <= effort(25U, 6U) && !testing::Test::HasFailure(); ++seed) {
    TinyNetworks networks(seed);
    const auto relation = networks.draw();
    for (const Knowledge knowledge :
         {Knowledge::none(), Knowledge::neighbours(), Knowledge::within(3), Knowledge::all()})
      for (const SourceRole role : {SourceRole::any, SourceRole::plan})
        for (const FaultScope scope : {FaultScope::network, FaultScope::all}) {
          SCOPED_TRACE("seed " + std::to_string(seed) + ", scope " + std::string(to_string(scope)) +
                       ", knowledge " + to_string(knowledge) + ", source " + std::string(to_string(role)));
          expect_circuits_agree(relation, scope, knowledge, role, sets);
        }
  }
  EXPECT_LT(sets.too_long, sets.judged / 20);
}

}  // namespace
}  // namespace faultline
