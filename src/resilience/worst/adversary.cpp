// SPDX-License-Identifier: Apache-2.0
#include "resilience/worst/adversary.h"

#include <algorithm>
#include <queue>

#include "base/binomial.h"
#include "faultline/base/random.h"
#include "resilience/cuts/cut_unions.h"
#include "resilience/evaluate/every_set.h"

namespace faultline::survival {
namespace {

constexpr std::uint64_t max_swapped_members = 10'000'000;  // in one round of the local search
constexpr std::uint32_t max_rounds = 50;

Component most_harmful(const std::vector<double>& harm) {
  return static_cast<Component>(std::ranges::max_element(harm) - harm.begin());
}

/// A subset of the sets of N faults; the one with the largest bound is next, ties by age.
struct Branch {
  Decided decided;
  LossBound bound;
  std::uint64_t number = 0;
  friend bool operator<(const Branch& a, const Branch& b) {
    return std::pair(a.bound.at_most, b.number) < std::pair(b.bound.at_most, a.number);
  }
};

}  // namespace

Adversary::Adversary(const Subject& subject, const Evaluator& evaluator, std::uint64_t seed,
                     AdversaryEffort effort)
    : subject_(subject),
      components_(static_cast<std::uint32_t>(subject.components.count())),
      pairs_(subject.components.topology().terminal_count() *
             (subject.components.topology().terminal_count() - 1)),
      evaluator_(evaluator.clone()),
      bounds_(subject, effort.stop),
      seed_(seed),
      effort_(effort) {}

Worst Adversary::worst(std::uint32_t faults) {
  if (binomial(components_, faults) <= effort_.max_sets) return try_all(faults);
  Worst best{.components = {}, .pairs_lost = 0, .bound = pairs_};
  if (try_cuts(faults, best)) return best;
  improve(greedy(faults), best);
  RandomStream random(seed_, faults);
  for (std::uint32_t i = 0; i < effort_.restarts; ++i) {
    Set start = best.components;
    while (start.size() < faults || random.next_below(3) != 0) {
      const Component component = random.next_below(components_);
      if (std::ranges::find(start, component) != start.end()) continue;
      if (start.size() == faults) start.erase(start.begin() + random.next_below(faults));
      start.push_back(component);
    }
    improve(std::move(start), best);
  }
  branch_and_bound(faults, best);
  if (best.pairs_lost == 0) best.components.clear();
  return best;
}

/// True if the best of the unions of cuts is the worst possible.
bool Adversary::try_cuts(std::uint32_t faults, Worst& best) {
  const CutUnions unions = cut_unions(subject_, faults, effort_.stop);
  end_if_set(effort_.stop);
  std::vector<Set> sets = unions.sets;
  for (Set& set : sets) fill_up(set, faults);
  if (!sets.empty()) {
    const std::vector<std::uint64_t> pairs = lost(sets);
    consider(std::move(sets[static_cast<std::size_t>(std::ranges::max_element(pairs) - pairs.begin())]),
             best);
  }
  if (unions.complete)
    best.bound = best.pairs_lost;
  else if (!best.components.empty())
    improve(best.components, best);
  return unions.complete;
}

Worst Adversary::try_all(std::uint32_t faults) {
  Worst best;
  for_every_set(*evaluator_, components_, faults, [&](const FaultBlock& block, const Verdicts& verdicts) {
    end_if_set(effort_.stop);
    const auto most = std::ranges::max_element(verdicts.lost_pairs);
    if (*most <= best.pairs_lost) return true;
    const auto set = block.set(static_cast<std::size_t>(most - verdicts.lost_pairs.begin()));
    best.components.assign(set.begin(), set.end());
    best.pairs_lost = best.bound = *most;
    return true;
  });
  return best;
}

std::vector<std::uint64_t> Adversary::lost(const std::vector<Set>& sets) {
  std::vector<std::uint64_t> result;
  FaultBlock block{.faults = static_cast<std::uint32_t>(sets.front().size()), .lanes = 0, .members = {}};
  Verdicts verdicts;
  while (result.size() < sets.size()) {
    end_if_set(effort_.stop);
    block.lanes =
        static_cast<std::uint32_t>(std::min<std::size_t>(evaluator_->lanes(), sets.size() - result.size()));
    block.members.clear();
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
      const Set& set = sets[result.size() + lane];
      block.members.insert(block.members.end(), set.begin(), set.end());
    }
    evaluator_->evaluate(block, verdicts);
    result.insert(result.end(), verdicts.lost_pairs.begin(), verdicts.lost_pairs.end());
  }
  return result;
}

/// Chooses one component after the other: the one on which the most paths of pairs that can still be
/// disconnected depend.
Adversary::Set Adversary::greedy(std::uint32_t faults) {
  Decided decided;
  for (std::uint32_t left = faults; left > 0; --left) {
    const bool affordable = bounds_.size() * faults <= effort_.max_arcs;
    if (!affordable && left < faults) break;
    const LossBound bound = bounds_.bound(decided, left);
    const Component worst = most_harmful(bound.harm);
    if (bound.harm[worst] <= 0) break;
    decided.dead.push_back(worst);
  }
  fill_up(decided.dead, faults);
  return decided.dead;
}

/// With the first components that are not in it.
void Adversary::fill_up(Set& set, std::uint32_t faults) const {
  for (Component component = 0; set.size() < faults; ++component)
    if (std::ranges::find(set, component) == set.end()) set.push_back(component);
}

/// Takes `set` if it is worse than the worst known.
void Adversary::consider(Set set, Worst& best) {
  const std::uint64_t pairs = lost({set}).front();
  if (!best.components.empty() && pairs <= best.pairs_lost) return;
  std::ranges::sort(set);
  best.components = std::move(set);
  best.pairs_lost = pairs;
}

/// From `set` on, swaps one component for another as long as that disconnects more pairs, the best swap
/// first.
void Adversary::improve(Set set, Worst& best) {
  const auto faults = static_cast<std::uint32_t>(set.size());
  Worst here;
  consider(std::move(set), here);
  const std::uint64_t swaps = std::uint64_t{faults} * (components_ - faults);
  for (std::uint32_t round = 0; swaps != 0 && round < max_rounds && swaps * faults <= max_swapped_members;
       ++round) {
    std::vector<Set> neighbours;
    for (std::uint32_t index = 0; index < faults; ++index)
      for (Component other = 0; other < components_; ++other) {
        if (std::ranges::find(here.components, other) != here.components.end()) continue;
        neighbours.push_back(here.components);
        neighbours.back()[index] = other;
      }
    const std::vector<std::uint64_t> pairs = lost(neighbours);
    const auto most = std::ranges::max_element(pairs);
    if (*most <= here.pairs_lost) break;
    here.pairs_lost = *most;
    here.components = neighbours[static_cast<std::size_t>(most - pairs.begin())];
  }
  consider(std::move(here.components), best);
}

void Adversary::branch_and_bound(std::uint32_t faults, Worst& best) {
  std::priority_queue<Branch> open;
  std::uint64_t number = 0, arcs = 0;
  const auto add = [&](Decided decided) {
    const auto left = faults - static_cast<std::uint32_t>(decided.dead.size());
    LossBound bound = bounds_.bound(decided, left);
    arcs += bounds_.size();
    if (bound.lost > best.pairs_lost) {
      Set set = decided.dead;
      fill_up(set, faults);
      consider(std::move(set), best);
    }
    if (bound.at_most > best.pairs_lost) open.push({std::move(decided), std::move(bound), ++number});
  };
  add({});
  while (!open.empty() && open.top().bound.at_most > best.pairs_lost) {
    const Branch branch = open.top();
    const Component worst = most_harmful(branch.bound.harm);
    if (arcs + 2 * bounds_.size() > effort_.max_arcs || branch.bound.harm[worst] <= 0) {
      best.bound = std::min(best.bound, branch.bound.at_most);
      return;
    }
    open.pop();
    for (const bool dies : {true, false}) {
      Decided decided = branch.decided;
      (dies ? decided.dead : decided.spared).push_back(worst);
      add(std::move(decided));
    }
  }
  best.bound = best.pairs_lost;
}

}  // namespace faultline::survival
