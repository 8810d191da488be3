// SPDX-License-Identifier: Apache-2.0
#include "faultline/resilience/resilience.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "faultline/resilience/lost_terminals.h"
#include "faultline/routing/searching.h"
#include "resilience/cuts/minimum_cuts.h"
#include "resilience/cuts/tolerance.h"
#include "resilience/fractions/likely_pairs.h"
#include "resilience/fractions/points.h"
#include "resilience/fractions/small_fractions.h"
#include "resilience/fractions/tally.h"
#include "resilience/reliability/reliability.h"
#include "resilience/worst/adversary.h"
#include "resilience/worst/failing_set.h"

namespace faultline {
namespace {

using namespace survival;

constexpr std::size_t most_critical_components = 20;
constexpr std::uint64_t most_enumerated_sets = 20'000'000;

/// A search over plans is not a circuit: methods that need one are refused.
void check_what_plans_allow(const ResilienceSpec& spec) {
  const auto refuse = [](const char* field, const char* value) {
    throw Error(field, value,
                "must not be asked of a routing whose sources plan: it is evaluated one fault set at a time, "
                "exhaustive or sampled");
  };
  if (spec.method == ResilienceMethod::exact) refuse("resilience.method", "exact");
  if (spec.method == ResilienceMethod::rare) refuse("resilience.method", "rare");
  if (spec.adversary) refuse("resilience.adversary", "true");
  if (spec.lost_terminals) refuse("resilience.lost", "true");
  if (spec.cuts != 0) refuse("resilience.cuts", "true");
  if (!spec.rates.empty()) refuse("resilience.failure-rate", "given");
}

std::vector<CriticalComponent> critical(const FaultComponents& components,
                                        const std::vector<std::uint64_t>& lost,
                                        const std::vector<double>& cut_share) {
  std::vector<std::uint32_t> order(components.count());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::uint32_t c) { return std::pair(lost[c], cut_share[c]); });
  std::vector<CriticalComponent> result;
  for (const std::uint32_t component : order) {
    if (result.size() == most_critical_components || (lost[component] == 0 && cut_share[component] == 0))
      break;
    result.push_back({components.name(component), lost[component], cut_share[component]});
  }
  return result;
}

void report(const Tolerance& tolerance, const FaultComponents& components, ResilienceResult& result) {
  result.tolerated_faults = tolerance.faults;
  result.tolerated_exact = tolerance.exact;
  for (const Component component : tolerance.witness) result.witness.push_back(components.name(component));
  const Topology& topology = components.topology();
  if (tolerance.source.valid())
    result.witness_pair = topology.name(tolerance.source) + " -> " + topology.name(tolerance.destination);
}

/// Fault sets over all points, of those still expected.
class PointsProgress {
 public:
  PointsProgress(const Progress& progress, const FaultComponents& components, const ResilienceSpec& spec)
      : progress_(progress) {
    if (!progress_) return;
    for (const std::uint32_t faults : spec.fault_counts)
      expected_.push_back(expected_sets(components, faults, spec));
    later_ = std::accumulate(expected_.begin(), expected_.end(), std::uint64_t{0});
    if (later_ != 0) progress_("sets", 0, later_);
  }

  /// Points begin one after the other.
  void begin(std::size_t point) {
    if (!progress_) return;
    here_ = expected_[point];
    later_ -= here_;
    begun_at_ = done_;
  }

  [[nodiscard]] std::function<void(std::uint64_t)> evaluated() {
    if (!progress_) return {};
    return [this](std::uint64_t sets) {
      const std::uint64_t done = done_ += sets;
      progress_("sets", done, std::max(done, begun_at_ + here_) + later_);
    };
  }

 private:
  const Progress& progress_;
  std::vector<std::uint64_t> expected_;  // by point
  std::uint64_t here_ = 0, later_ = 0, begun_at_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
};

std::optional<MinimumCutList> list_cuts(const Subject& subject, const Evaluator& evaluator,
                                        const Tolerance& tolerance, std::uint64_t most_listed) {
  if (most_listed == 0) return std::nullopt;
  if (!tolerance.exact)
    throw Error("resilience.cuts", std::to_string(most_listed),
                "must be 0 where the number of tolerated faults is only known to be at least " +
                    std::to_string(tolerance.faults));
  const auto cuts = minimum_cuts(subject, evaluator, tolerance, most_listed);
  if (!cuts) return std::nullopt;
  MinimumCutList list{.size = cuts->size, .count = std::nullopt, .listed = {}};
  if (cuts->count) list.count = cuts->count->str();
  for (const auto& cut : cuts->listed) {
    list.listed.emplace_back();
    for (const Component component : cut) list.listed.back().push_back(subject.components.name(component));
  }
  return list;
}

WorstFaults named(const Worst& worst, const FaultComponents& components) {
  WorstFaults result{
      .components = {}, .pairs_lost = worst.pairs_lost, .bound = worst.bound, .exact = worst.exact()};
  for (const Component component : worst.components) result.components.push_back(components.name(component));
  return result;
}

/// Lost terminals over all sets, where any path will do, need no circuit: the network's symmetries say more.
bool lists_fault_sets(const Subject& subject, const ResilienceSpec& spec, std::uint32_t faults) {
  if (!spec.lost_terminals || !subject.knowledge.is_all() || subject.survival == Survival::fixed_paths)
    return false;
  if (subject.survival == Survival::any_path && subject.components.units().contains(FaultUnit::channel))
    return false;
  return expected_sets(subject.components, faults, spec) == binomial(subject.components.count(), faults) &&
         can_list_fault_sets(subject.components, faults);
}

MeasuredPoint measure_every_set(const FaultComponents& components, std::uint32_t faults,
                                const ResilienceSpec& spec,
                                const std::function<void(std::uint64_t)>& evaluated) {
  const EveryFaultSet all =
      every_fault_set(components, {.faults = faults, .threads = spec.threads, .stop = spec.stop}, evaluated);
  const std::uint64_t terminals = components.topology().terminal_count();
  Tally tally;
  tally.sets = all.sets;
  tally.intolerable = all.intolerable;
  tally.lost = Sums::Wide{terminals * (terminals - 1)} * all.sets - all.connected_pairs;
  tally.live = all.live_pairs;
  MeasuredPoint measured{.complete = all.complete, .seconds = all.seconds};
  if (all.sets == 0) return measured;
  measured.point = summarise(tally, faults, binomial(components.count(), faults).str(), true, terminals);
  LostTerminalsFigure figure{.worst = all.worst(), .mean = all.mean(), .exact = all.exact};
  for (const std::uint32_t component : all.worst_set) figure.worst_set.push_back(components.name(component));
  for (const TerminalId terminal : all.worst_terminals)
    figure.worst_set_terminals.push_back(components.topology().name(terminal));
  figure.by_lost = all.by_lost;
  measured.point.lost_terminals = std::move(figure);
  return measured;
}

/// What is asked of `spec`. Where heads search with what their switches see, the ways that they may try are
/// evaluated in place of the search, but by the reference, which carries it out.
Subject subject_of(const RelationPtr& relation, Survival survival, const FaultComponents& components,
                   const ResilienceSpec& spec) {
  const bool anew = is_computed_anew(survival, spec.knowledge, spec.source);
  Subject subject{relation, anew ? survival : Survival::fixed_paths, components, spec.knowledge, spec.source};
  const bool sees_switches =
      spec.knowledge == Knowledge::neighbours() && components.units() == FaultUnit::switch_;
  if (!sees_switches || spec.kernel == "reference") return subject;
  const auto* const searching = dynamic_cast<const Searching*>(relation.get());
  if (RelationPtr searched = searching == nullptr ? nullptr : searching->searched()) {
    subject.relation = std::move(searched);
    subject.knowledge = Knowledge::all();
  }
  return subject;
}

}  // namespace

ResilienceResult resilience(const RelationPtr& relation, Survival survival, const FaultComponents& components,
                            const ResilienceSpec& given, const Progress& progress) {
  check_points(given, components);
  check_rates(given, components);
  ResilienceSpec spec = given;
  spec.samples = std::min(spec.samples, spec.budget.value_or(spec.samples));
  if (spec.knowledge.is_all()) spec.source = SourceRole::any;  // a source that knows all plans
  const Subject subject = subject_of(relation, survival, components, spec);
  if (subject.survival == Survival::plans) check_what_plans_allow(given);
  const std::unique_ptr<Evaluator> evaluator = make_evaluator(subject, spec.kernel, progress);
  ResilienceResult result{.unit = components.units(),
                          .scope = components.scope(),
                          .knowledge = given.knowledge,
                          .source = given.source,
                          .components = components.count()};
  const Tolerance tolerance = subject.survival == Survival::plans ? tolerance_of_plans(subject, *evaluator)
                              : subject.knowledge.is_all()
                                  ? tolerance_by_cuts(subject, progress)
                                  : tolerance_by_enumeration(*evaluator, components, most_enumerated_sets);
  report(tolerance, components, result);
  // What any one fault leaves connected is not tried.
  const std::vector<std::uint64_t> single = tolerance.faults > 0
                                                ? std::vector<std::uint64_t>(components.count())
                                                : lost_to_single_faults(*evaluator, components);
  result.critical = critical(components, single, tolerance.cut_share);
  result.minimum_cuts = list_cuts(subject, *evaluator, tolerance, spec.cuts);
  if (spec.failing_set) {
    result.smallest_failing =
        smallest_failing(*evaluator, components, {.seed = spec.seed, .stop = spec.stop});
    result.interrupted = is_set(spec.stop);
  }
  const SmallFractions small(subject, spec);
  const Subject asked{relation, subject.survival, components, spec.knowledge, spec.source};
  std::optional<LikelyPairs> likely;
  if (!spec.fault_counts.empty()) likely.emplace(asked, spec);
  const auto listed = [&](std::uint32_t faults) { return lists_fault_sets(subject, spec, faults); };
  const auto connections = spec.lost_terminals && !std::ranges::all_of(spec.fault_counts, listed)
                               ? compile_connections(subject)
                               : nullptr;
  std::optional<Adversary> adversary;
  if (spec.adversary && !spec.fault_counts.empty()) adversary.emplace(subject, *evaluator, spec.seed);
  std::uint64_t sets = 0;
  PointsProgress points_progress(progress, components, spec);
  for (std::size_t i = 0; i < spec.fault_counts.size() && !result.interrupted; ++i) {
    const std::uint32_t faults = spec.fault_counts[i];
    points_progress.begin(i);
    MeasuredPoint measured =
        listed(faults)
            ? measure_every_set(components, faults, spec, points_progress.evaluated())
            : measure(*evaluator, components, faults, spec, points_progress.evaluated(), connections);
    result.interrupted = !measured.complete;
    result.seconds += measured.seconds;
    sets += measured.point.sets;
    if (measured.point.sets != 0) {
      if (!result.interrupted) small.refine(measured.point);
      if (!result.interrupted) measured.point.likely_pairs = likely->measure(faults, spec.samples);
      if (!result.interrupted && adversary)
        measured.point.worst_faults = named(adversary->worst(faults), components);
      result.interrupted =
          result.interrupted || is_set(spec.stop);  // what was refined may be less than asked
      result.by_faults.push_back(std::move(measured.point));
    }
  }
  if (!spec.rates.empty() && !result.interrupted) {
    result.reliability = reliability(subject, *evaluator, tolerance, spec);
    result.interrupted = !result.reliability;
  }
  result.sets_per_second = result.seconds > 0 ? static_cast<double>(sets) / result.seconds : 0;
  return result;
}

}  // namespace faultline
