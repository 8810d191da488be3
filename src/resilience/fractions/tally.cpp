// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/tally.h"

#include <algorithm>

#include "base/quantiles.h"
#include "resilience/fractions/bounded_mean.h"

namespace faultline::survival {
namespace {

using Wide = Tally::Wide;

double fraction(Wide part, Wide whole) {
  return whole == 0 ? 1.0
                    : static_cast<double>(static_cast<long double>(part) / static_cast<long double>(whole));
}

/// 95 % interval of the mean fraction of lost pairs, also if few sets were drawn, all with the same loss. The
/// interval of the fraction of sets that lose any, times their mean loss (or everything, if none was seen),
/// widens it where such sets are rare.
Interval lost_interval(const Tally& tally, double pairs, Interval intolerable) {
  const double lost = static_cast<double>(tally.lost) / pairs;
  const double lost_squared = static_cast<double>(tally.lost_squared) / pairs / pairs;
  const Interval all = mean_interval_with_one_unseen(lost, lost_squared, static_cast<double>(tally.sets));
  const double when_lost = tally.intolerable == 0 ? 1.0 : lost / static_cast<double>(tally.intolerable);
  return {std::min(all.low, intolerable.low * when_lost),
          std::min(1.0, std::max(all.high, intolerable.high * when_lost))};
}

/// Bounds of the fraction of all sets, from the fraction of the `evaluated` share of them.
Interval bounds(double fraction, double evaluated) {
  return {fraction * evaluated, fraction * evaluated + (1 - evaluated)};
}

/// Of the sets that leave the network connected.
UnservedSets unserved_sets(const Tally& tally, bool complete) {
  UnservedSets unserved{.disconnected = *tally.disconnected, .sets = tally.intolerable - *tally.disconnected};
  const std::uint64_t connected = tally.sets - unserved.disconnected;
  if (connected == 0) return unserved;
  const double fraction = static_cast<double>(unserved.sets) / static_cast<double>(connected);
  unserved.fraction = fraction;
  unserved.interval = complete ? Interval{fraction, fraction} : clopper_pearson(unserved.sets, connected);
  return unserved;
}

}  // namespace

void Tally::add(const Verdicts& verdicts) {
  for (std::size_t lane = 0; lane < verdicts.lost_pairs.size(); ++lane)
    Sums::add(verdicts.lost_pairs[lane], verdicts.live_pairs[lane]);
  if (!verdicts.disconnected.empty())
    disconnected = disconnected.value_or(0) +
                   static_cast<std::uint64_t>(std::ranges::count(verdicts.disconnected, true));
}

void Tally::add(std::span<const LostCount> counts) {
  for (const LostCount& count : counts) {
    lost_terminals += count.terminals;
    worst_lost_terminals = std::max(worst_lost_terminals, count.terminals);
    lost_terminals_exact = lost_terminals_exact && count.exact;
  }
}

void Tally::add(const Tally& other) {
  Sums::add(other);
  lost_terminals += other.lost_terminals;
  worst_lost_terminals = std::max(worst_lost_terminals, other.worst_lost_terminals);
  lost_terminals_exact = lost_terminals_exact && other.lost_terminals_exact;
  if (other.disconnected) disconnected = disconnected.value_or(0) + *other.disconnected;
}

FaultPoint summarise(const Tally& tally, std::uint32_t faults, const std::string& total, bool exhaustive,
                     std::uint64_t terminals) {
  const bool complete = exhaustive && total == std::to_string(tally.sets);
  FaultPoint point{.faults = faults, .sets = tally.sets, .exhaustive = complete};
  point.sets_total = total;
  const std::uint64_t pairs = terminals * (terminals - 1);
  const Wide all_pairs = Wide{pairs} * tally.sets;
  point.intolerable_fraction = static_cast<double>(tally.intolerable) / static_cast<double>(tally.sets);
  point.connected_pairs_fraction = fraction(all_pairs - tally.lost, all_pairs);
  point.connected_live_pairs_fraction = fraction(all_pairs - tally.lost, tally.live);
  if (tally.disconnected) point.unserved = unserved_sets(tally, complete);
  if (exhaustive) {
    if (complete) point.intolerable_sets = std::to_string(tally.intolerable);
    const double evaluated = complete ? 1.0 : static_cast<double>(tally.sets) / std::stod(total);
    point.intolerable_interval = bounds(point.intolerable_fraction, evaluated);
    point.connected_pairs_interval = bounds(point.connected_pairs_fraction, evaluated);
    return point;
  }
  point.intolerable_interval = clopper_pearson(tally.intolerable, tally.sets);
  const Interval lost =
      pairs == 0 ? Interval{} : lost_interval(tally, static_cast<double>(pairs), point.intolerable_interval);
  point.connected_pairs_interval = {1 - lost.high, 1 - lost.low};
  return point;
}

}  // namespace faultline::survival
