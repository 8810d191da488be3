// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "faultline/resilience/resilience.h"
#include "faultline/routing/searching.h"
#include "resilience/cuts/minimum_cuts.h"
#include "resilience/cuts/tolerance.h"
#include "resilience/fractions/all_points.h"
#include "resilience/fractions/points.h"
#include "resilience/reliability/reliability.h"
#include "resilience/worst/adversary.h"
#include "resilience/worst/failing_set.h"

namespace faultline {
namespace {

using namespace survival;

constexpr std::uint64_t max_enumerated_sets = 20'000'000;

std::vector<CriticalComponent> critical(const FaultComponents& components,
                                        const std::vector<std::uint64_t>& lost,
                                        const std::vector<double>& cut_share) {
  std::vector<std::uint32_t> order(components.count());
  std::iota(order.begin(), order.end(), 0U);
  const auto share = [&](std::uint32_t c) {
    return cut_share.empty() ? std::nullopt : std::optional(cut_share[c]);
  };
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::uint32_t c) { return std::pair(lost[c], share(c)); });
  std::vector<CriticalComponent> result;
  for (const std::uint32_t component : order) {
    if (lost[component] == 0 && share(component).value_or(0) == 0) break;
    result.push_back({components.name(component), lost[component], share(component)});
  }
  return result;
}

ToleratedFaults named(const Tolerance& tolerance, const FaultComponents& components) {
  ToleratedFaults result{.faults = tolerance.faults,
                         .exact = tolerance.exact,
                         .if_connected = tolerance.if_connected,
                         .witness = {},
                         .witness_pair = {}};
  for (const Component component : tolerance.witness) result.witness.push_back(components.name(component));
  const Topology& topology = components.topology();
  if (tolerance.source.valid())
    result.witness_pair = topology.name(tolerance.source) + " -> " + topology.name(tolerance.destination);
  return result;
}

WorstFaults named(const Worst& worst, const FaultComponents& components) {
  WorstFaults result{
      .components = {}, .pairs_lost = worst.pairs_lost, .bound = worst.bound, .exact = worst.exact()};
  for (const Component component : worst.components) result.components.push_back(components.name(component));
  return result;
}

/// The subject of the questions. If heads search with what their switches know, the paths that they may try
/// are evaluated instead of the search, except by the reference, which runs the search.
Subject subject_of(const RelationPtr& relation, Survival survival, const FaultComponents& components,
                   const StudyConditions& conditions) {
  if (relation == nullptr) throw Error("resilience.relation", "none", "must be given");
  FaultSet(components.topology()).require_of(relation->topology(), "resilience.components");
  const bool anew = is_computed_anew(survival, conditions.knowledge, conditions.source);
  Subject subject{relation, anew ? survival : Survival::fixed_paths, components, conditions.knowledge,
                  conditions.source};
  const bool sees_switches =
      conditions.knowledge == Knowledge::neighbours() && components.units() == FaultUnit::switch_;
  if (!sees_switches || conditions.kernel == "reference") return subject;
  const auto* const searching = dynamic_cast<const Searching*>(relation.get());
  if (RelationPtr searched = searching == nullptr ? nullptr : searching->searched()) {
    subject.relation = std::move(searched);
    subject.knowledge = Knowledge::all();
  }
  return subject;
}

StudyConditions as_evaluated(StudyConditions conditions) {
  conditions.source = effective_role(conditions.source, conditions.knowledge);
  return conditions;
}

}  // namespace

struct ResilienceStudy::State {
  State(RelationPtr relation, Survival survival, FaultComponents all, const StudyConditions& given,
        const Progress& progress)
      : components(std::move(all)),
        conditions(given),
        subject(subject_of(relation, survival, components, as_evaluated(given))),
        asked{std::move(relation), subject.survival, components, given.knowledge, as_evaluated(given).source},
        evaluator(make_evaluator(subject, given.kernel, progress)) {}

  /// Of the components, by number.
  const Tolerance& tolerated(const Progress& progress = {}) {
    if (!tolerance)
      tolerance = subject.survival == Survival::plans ? tolerance_of_plans(subject, *evaluator)
                  : subject.knowledge.is_all()
                      ? tolerance_by_cuts(subject, progress)
                      : tolerance_by_enumeration(*evaluator, components, max_enumerated_sets);
    return *tolerance;
  }

  FaultComponents components;
  StudyConditions conditions;
  Subject subject;  ///< what is evaluated
  Subject asked;    ///< differs if the paths that a search may try replace it
  std::unique_ptr<Evaluator> evaluator;
  std::optional<Tolerance> tolerance;
  std::optional<ToleratedFaults> named_tolerance;
  std::optional<Adversary> adversary;
};

ResilienceStudy::ResilienceStudy(RelationPtr relation, Survival survival, FaultComponents components,
                                 StudyConditions conditions, const Progress& progress)
    : state_(std::make_unique<State>(std::move(relation), survival, std::move(components), conditions,
                                     progress)) {}
ResilienceStudy::ResilienceStudy(ResilienceStudy&&) noexcept = default;
ResilienceStudy& ResilienceStudy::operator=(ResilienceStudy&&) noexcept = default;
ResilienceStudy::~ResilienceStudy() = default;

const FaultComponents& ResilienceStudy::components() const { return state_->components; }
const StudyConditions& ResilienceStudy::conditions() const { return state_->conditions; }

const ToleratedFaults& ResilienceStudy::tolerance(const Progress& progress) {
  if (!state_->named_tolerance)
    state_->named_tolerance = named(state_->tolerated(progress), state_->components);
  return *state_->named_tolerance;
}

std::uint64_t ResilienceStudy::lost_without_faults(const Progress& progress) {
  if (state_->tolerated(progress).faults > 0) return 0;
  return survival::lost_without_faults(*state_->evaluator, state_->components);
}

std::vector<CriticalComponent> ResilienceStudy::critical() {
  const Tolerance& tolerance = state_->tolerated();
  std::vector<std::uint64_t> lost(state_->components.count());
  if (tolerance.faults == 0) {  // otherwise any single fault leaves everything connected
    lost = lost_to_single_faults(*state_->evaluator, state_->components);
    const std::uint64_t before = lost_without_faults();
    for (std::uint64_t& pairs : lost) pairs -= std::min(pairs, before);
  }
  return faultline::critical(state_->components, lost, tolerance.cut_share);
}

std::optional<MinimumCutList> ResilienceStudy::minimum_cuts(std::uint64_t max_listed) {
  refuse_plans(state_->subject.survival, "resilience.cuts", std::to_string(max_listed));
  const Tolerance& tolerance = state_->tolerated();
  if (!tolerance.exact)
    throw Error("resilience.cuts", std::to_string(max_listed),
                "must be 0 where the number of tolerated faults is only known to be at least " +
                    std::to_string(tolerance.faults));
  const auto cuts = survival::minimum_cuts(state_->subject, *state_->evaluator, tolerance, max_listed);
  if (!cuts) return std::nullopt;
  MinimumCutList list{.size = cuts->size, .count = std::nullopt, .listed = {}};
  if (cuts->count) list.count = cuts->count->str();
  for (const auto& cut : cuts->listed) {
    list.listed.emplace_back();
    for (const Component component : cut) list.listed.back().push_back(state_->components.name(component));
  }
  return list;
}

SmallestFailing ResilienceStudy::smallest_failing() const {
  return survival::smallest_failing(*state_->evaluator, state_->components,
                                    {.seed = state_->conditions.seed, .stop = state_->conditions.stop});
}

Fractions ResilienceStudy::fractions(const FractionsSpec& spec, const Progress& progress) const {
  check_fractions(spec, state_->components, state_->subject.survival);
  return all_points(state_->subject, state_->asked, *state_->evaluator, spec, state_->conditions, progress);
}

WorstFaults ResilienceStudy::worst(std::uint32_t faults) {
  refuse_plans(state_->subject.survival, "resilience.adversary", "true");
  check_points({.fault_counts = {faults}}, state_->components);
  if (!state_->adversary)
    state_->adversary.emplace(state_->subject, *state_->evaluator, state_->conditions.seed,
                              AdversaryEffort{.stop = state_->conditions.stop});
  return named(state_->adversary->worst(faults), state_->components);
}

std::optional<Reliability> ResilienceStudy::reliability(const ReliabilitySpec& spec) {
  check_reliability(spec, state_->components, state_->conditions.knowledge, state_->subject.survival);
  return survival::reliability(state_->subject, *state_->evaluator, state_->tolerated(), spec,
                               state_->conditions);
}

}  // namespace faultline
