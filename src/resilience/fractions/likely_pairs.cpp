// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/likely_pairs.h"

#include <algorithm>

#include "base/binomial.h"
#include "base/mean.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/pair_classes.h"
#include "faultline/routing/states.h"
#include "faultline/routing/walk.h"
#include "resilience/evaluate/fault_sets.h"
#include "resilience/fractions/bounded_mean.h"

namespace faultline::survival {
namespace {

constexpr std::uint64_t max_states = 5'000'000;

}  // namespace

LikelyPairs::LikelyPairs(const Subject& subject, const FractionsSpec& spec, const StudyConditions& conditions)
    : subject_(subject), spec_(spec), conditions_(conditions) {
  // A planning source that does not know all is served, or refused.
  const bool plans = subject.source == SourceRole::plan && !subject.knowledge.is_all();
  if (subject.survival != Survival::fixed_paths || plans) return;
  if (subject.relation->offers_output_bits() && subject.relation->always_progresses()) return;
  for (const TerminalId destination : subject.relation->topology().terminals()) {
    if (is_set(conditions.stop)) return;
    const DestinationStates states = enumerate_states(*subject.relation, destination);
    states_ += states.count();
    const StateOrder order = order_states(states, [](const DestinationStates::Move&) { return true; });
    has_circles_ = has_circles_ || !order.cycle.empty();
  }
}

std::optional<LikelyPairsFigure> LikelyPairs::measure(std::uint32_t faults, std::uint64_t sets) const {
  if (!has_circles_) return std::nullopt;
  const auto count = static_cast<std::uint32_t>(subject_.components.count());
  const std::uint64_t affordable = std::min(sets, std::max<std::uint64_t>(1, max_states / states_));
  const BigInteger total = binomial(count, faults);
  const bool all = total <= affordable && !spec_.placement.radius;
  const std::uint64_t tried = all ? static_cast<std::uint64_t>(total) : affordable;
  FaultSetSampler sampler(count, conditions_.seed);
  std::optional<Clusters> clusters;
  if (spec_.placement.radius) clusters.emplace(subject_.components, *spec_.placement.radius, faults);
  std::vector<double> fractions;
  for (std::uint64_t number = 0; number < tried; ++number) {
    if (is_set(conditions_.stop)) return std::nullopt;
    FaultBlock block{.faults = faults, .lanes = 1, .members = {}};
    if (all)
      list_fault_sets(block, count, number);
    else if (clusters)
      sampler.draw(block, number, *clusters);
    else
      sampler.draw(block, number);
    fractions.push_back(fraction(subject_.components.fault_set(block.set(0))));
  }
  LikelyPairsFigure figure{.sets = tried};
  figure.fraction = mean_of(fractions);
  figure.interval =
      all ? Interval{figure.fraction, figure.fraction} : bounded_mean_interval(fractions, 0.025);
  return figure;
}

double LikelyPairs::fraction(const FaultSet& dead) const {
  const RelationPtr used =
      admissible_relation(subject_.relation, {dead, subject_.knowledge, subject_.source});
  const Topology& topology = used->topology();
  std::uint64_t likely = 0;
  for (const TerminalId destination : topology.terminals()) {
    const DestinationStates plays = enumerate_plays(*used, destination, dead);
    const std::vector<PairClass> classes = classes_of_states(plays);
    for (const TerminalId source : topology.terminals())
      if (source != destination)
        likely += class_of_pair(plays, classes, source, subject_.source) == PairClass::likely ? 1U : 0U;
  }
  const auto terminals = static_cast<double>(topology.terminal_count());
  return static_cast<double>(likely) / (terminals * (terminals - 1));
}

}  // namespace faultline::survival
