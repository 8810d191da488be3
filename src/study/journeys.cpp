// SPDX-License-Identifier: Apache-2.0
#include "study/journeys.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "base/arena.h"
#include "base/combinations.h"
#include "base/mean.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/pair_classes.h"
#include "faultline/routing/walk.h"
#include "faultline/simulate/statistics.h"

namespace faultline {
namespace {

/// Of one fault set.
struct Outcome {
  std::uint64_t served = 0, likely = 0, dead_leaf = 0, ping_pong = 0, dead_end = 0, connected = 0;
  double links = 0, shortest_links = 0;  ///< added up over the pairs served
};

constexpr std::uint32_t unreached = ~std::uint32_t{0};

/// Living channels from each switch to one that ejects to `destination`, that one included.
std::vector<std::uint32_t> links_to(const Topology& topology, TerminalId destination, const FaultSet& dead) {
  std::vector<std::uint32_t> links(topology.switch_count(), unreached);
  std::vector<SwitchId> found;
  const auto reach = [&](ChannelId channel, std::uint32_t length) {
    const SwitchId from = topology.source(channel);
    if (dead.failed(channel) || !from.valid() || links[from.index()] != unreached) return;
    links[from.index()] = length;
    found.push_back(from);
  };
  for (const ChannelId channel : topology.ejection(destination)) reach(channel, 1);
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const ChannelId channel : topology.inputs(found[next]))
      reach(channel, links[found[next].index()] + 1);
  return links;
}

/// The mean over the moves of the mean beyond each. Moves lead only to served states, and never in a cycle.
std::vector<double> mean_links(const DestinationStates& plays, std::span<const PairClass> classes,
                               std::span<const std::uint32_t> last_first) {
  std::vector<double> links(plays.count());
  for (const std::uint32_t state : last_first) {
    if (classes[state] != PairClass::served) continue;
    const auto moves = plays.moves_of(state);
    for (const auto& move : moves) links[state] += 1 + (move.enters() ? links[move.next] : 0);
    links[state] /= static_cast<double>(moves.size());
  }
  return links;
}

class FollowedSet {
 public:
  FollowedSet(const Topology& topology, const RoutingRelation& relation, const FaultSet& dead,
              SourceRole role)
      : topology_(topology), relation_(relation), dead_(dead), role_(role) {}

  Outcome run() {
    for (const TerminalId destination : topology_.terminals()) follow(destination);
    return outcome_;
  }

 private:
  void follow(TerminalId destination) {
    const DestinationStates plays = enumerate_plays(relation_, destination, dead_);
    const StateOrder order = order_states(plays, [](const DestinationStates::Move&) { return true; });
    const auto classes = classes_of_states(plays);
    const auto links = mean_links(plays, classes, order.last_first);
    const auto shortest = links_to(topology_, destination, dead_);
    const bool is_off = dead_.all_failed(topology_.ejection(destination));
    for (const TerminalId source : topology_.terminals()) {
      if (source == destination) continue;
      const std::uint32_t best = shortest_from(source, shortest);
      outcome_.connected += best != unreached ? 1 : 0;
      if (is_off || dead_.all_failed(topology_.injection(source)))
        ++outcome_.dead_leaf;
      else
        judge(class_of_pair(plays, classes, source, role_), best,
              [&] { return links_of(plays, classes, links, source); });
    }
  }

  [[nodiscard]] std::uint32_t shortest_from(TerminalId source,
                                            const std::vector<std::uint32_t>& shortest) const {
    std::uint32_t best = unreached;
    for (const ChannelId channel : topology_.injection(source)) {
      const std::uint32_t beyond = shortest[topology_.target(channel).index()];
      if (!dead_.failed(channel) && beyond != unreached) best = std::min(best, beyond + 1);
    }
    return best;
  }

  /// Over the source's injection options; one that plans takes those that arrive.
  [[nodiscard]] double links_of(const DestinationStates& plays, std::span<const PairClass> classes,
                                std::span<const double> links, TerminalId source) const {
    double sum = 0, ways = 0;
    for (const auto& move : plays.injections_of(source)) {
      if (classes[move.next] != PairClass::served) continue;
      sum += 1 + links[move.next];
      ++ways;
    }
    return sum / ways;
  }

  template <class Links>
  void judge(PairClass pair, std::uint32_t shortest, Links links) {
    if (pair == PairClass::served) {
      ++outcome_.served;
      outcome_.links += links();
      outcome_.shortest_links += shortest;
    } else {
      ++(pair == PairClass::likely     ? outcome_.likely
         : pair == PairClass::livelock ? outcome_.ping_pong
                                       : outcome_.dead_end);
    }
  }

  const Topology& topology_;
  const RoutingRelation& relation_;
  const FaultSet& dead_;
  SourceRole role_;
  Outcome outcome_;
};

MeanOverSets mean_over(const std::vector<double>& values, bool exhaustive) {
  const double mean = mean_of(values);
  if (exhaustive) return {mean, {mean, mean}};
  return {mean, t_interval(values)};
}

/// The interval of a mean fraction. If all sets drawn have the same value, Student's t gives no width; then
/// it allows for as large a share of sets with other values as goes unseen in so many draws with a
/// probability of 2.5 %.
MeanOverSets within_unit(MeanOverSets share, std::size_t sets, bool exhaustive) {
  if (exhaustive || sets == 0) return share;
  const auto [low, high] = share.interval;
  const double unseen = low == high ? 1 - std::pow(0.025, 1 / static_cast<double>(sets)) : 0;
  share.interval = {std::max(0.0, low) * (1 - unseen), std::min(1.0, high) * (1 - unseen) + unseen};
  return share;
}

Journeys summary(std::uint32_t faults, const std::vector<Outcome>& outcomes, bool exhaustive,
                 std::size_t terminals) {
  const double pairs = static_cast<double>(terminals) * static_cast<double>(terminals - 1);
  const auto share = [&](std::uint64_t Outcome::*part) {
    std::vector<double> shares;
    for (const Outcome& one : outcomes) shares.push_back(static_cast<double>(one.*part) / pairs);
    return within_unit(mean_over(shares, exhaustive), shares.size(), exhaustive);
  };
  const auto length = [&](double Outcome::*part) -> std::optional<MeanOverSets> {
    std::vector<double> lengths;
    for (const Outcome& one : outcomes)
      if (one.served != 0) lengths.push_back(one.*part / static_cast<double>(one.served));
    if (lengths.empty()) return std::nullopt;
    return mean_over(lengths, exhaustive);
  };
  return {.faults = faults,
          .sets = outcomes.size(),
          .exhaustive = exhaustive,
          .served = share(&Outcome::served),
          .likely = share(&Outcome::likely),
          .dead_leaf = share(&Outcome::dead_leaf),
          .ping_pong = share(&Outcome::ping_pong),
          .dead_end = share(&Outcome::dead_end),
          .connected = share(&Outcome::connected),
          .links = length(&Outcome::links),
          .shortest_links = length(&Outcome::shortest_links)};
}

}  // namespace

std::vector<Journeys> follow_packets(const TopologyPtr& topology, const FaultComponents& components,
                                     const std::vector<std::uint32_t>& fault_counts, const JourneysSpec& spec,
                                     const Progress& progress) {
  if (topology->terminal_count() < 2)
    throw Error("topology", topology->name(),
                "must have at least two terminals: there is no pair whose packets could be followed");
  const auto count = static_cast<std::uint32_t>(components.count());
  const FaultSampler sampler(count, spec.seed);
  const auto sets_of = [&](std::uint32_t faults) { return choose_up_to(count, faults, spec.sets); };
  std::uint64_t total = 0;
  for (const std::uint32_t faults : fault_counts) total += sets_of(faults);
  std::vector<Journeys> results;
  std::mutex telling;
  std::uint64_t done = 0;
  if (progress) progress("fault sets followed", done, total);
  tbb::task_arena arena(arena_threads(spec.threads));
  for (const std::uint32_t faults : fault_counts) {
    const bool exhaustive = choose_up_to(count, faults, spec.sets + 1) <= spec.sets;
    std::vector<Outcome> outcomes(sets_of(faults));
    const auto follow = [&](std::size_t i) {
      end_if_set(spec.stop);
      std::vector<std::uint32_t> set(faults);
      if (exhaustive)
        find_combination(set, count, i);
      else
        set = sampler.draw(faults, i);
      const FaultSet dead = components.fault_set(set);
      const RelationPtr relation =
          build_relation(topology, Damage{dead, spec.knowledge, spec.source}, spec.routing);
      outcomes[i] = FollowedSet(*topology, *relation, dead, spec.source).run();
      const std::scoped_lock lock(telling);
      ++done;
      if (progress) progress("fault sets followed", done, total);
    };
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, outcomes.size(), follow); });
    results.push_back(summary(faults, outcomes, exhaustive, topology->terminal_count()));
  }
  return results;
}

}  // namespace faultline
