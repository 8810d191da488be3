// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/all_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "faultline/resilience/lost_terminals.h"
#include "resilience/circuit/subject.h"
#include "resilience/fractions/likely_pairs.h"
#include "resilience/fractions/points.h"
#include "resilience/fractions/small_fractions.h"
#include "resilience/fractions/tally.h"

namespace faultline {
namespace survival {
namespace {

/// Fault sets over all points, of those still expected.
class PointsProgress {
 public:
  PointsProgress(const Progress& progress, const FaultComponents& components, const FractionsSpec& spec)
      : progress_(progress) {
    if (!progress_) return;
    for (const std::uint32_t faults : spec.fault_counts)
      expected_.push_back(expected_sets(spec, components, faults));
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

MeasuredPoint measure_every_set(const FaultComponents& components, std::uint32_t faults,
                                const StudyConditions& conditions,
                                const std::function<void(std::uint64_t)>& evaluated) {
  const EveryFaultSet all = every_fault_set(
      components, {.faults = faults, .threads = conditions.threads, .stop = conditions.stop}, evaluated);
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

/// If stopped in between, the refinement may be incomplete: the point is then the last.
class Points {
 public:
  Points(const Subject& subject, const Subject& asked, const Evaluator& evaluator, const FractionsSpec& spec,
         const StudyConditions& conditions)
      : subject_(subject),
        evaluator_(evaluator),
        spec_(spec),
        conditions_(conditions),
        small_(subject, spec, conditions),
        likely_(asked, spec, conditions),
        connections_(spec.lost_terminals &&
                             !std::ranges::all_of(spec.fault_counts, [&](auto n) { return listed(n); })
                         ? compile_connections(subject)
                         : nullptr) {}

  [[nodiscard]] MeasuredPoint measured(std::uint32_t faults,
                                       const std::function<void(std::uint64_t)>& evaluated) const {
    MeasuredPoint one =
        listed(faults)
            ? measure_every_set(subject_.components, faults, conditions_, evaluated)
            : measure(evaluator_, subject_.components, faults, spec_, conditions_, evaluated, connections_);
    if (one.complete) small_.refine(one.point);
    if (one.complete) one.point.likely_pairs = likely_.measure(faults, spec_.samples);
    one.complete = one.complete && !is_set(conditions_.stop);
    return one;
  }

 private:
  [[nodiscard]] bool listed(std::uint32_t faults) const {
    return subject_.knowledge.is_all() &&
           evaluates_symmetry_classes(spec_, subject_.components, faults, subject_.survival);
  }

  const Subject& subject_;
  const Evaluator& evaluator_;
  const FractionsSpec& spec_;
  const StudyConditions& conditions_;
  SmallFractions small_;
  LikelyPairs likely_;
  std::shared_ptr<const CompiledConnections> connections_;
};

}  // namespace

}  // namespace survival

/// Lost terminals over all sets, if any path serves, need no circuit: the network's symmetries are more
/// efficient.
bool evaluates_symmetry_classes(const FractionsSpec& spec, const FaultComponents& components,
                                std::uint32_t faults, Survival survival) {
  if (!spec.lost_terminals || survival == Survival::fixed_paths) return false;
  if (survival == Survival::any_path && components.units().contains(FaultUnit::channel)) return false;
  return evaluates_every_set(spec, components, faults) && can_list_fault_sets(components, faults);
}

namespace survival {

void check_fractions(const FractionsSpec& spec, const FaultComponents& components, Survival survival) {
  check_points(spec, components);
  if (spec.method == ResilienceMethod::exact) refuse_plans(survival, "resilience.exact", "true");
  if (spec.method == ResilienceMethod::rare) refuse_plans(survival, "resilience.rare", "true");
  if (spec.method == ResilienceMethod::rare)
    for (const std::uint32_t faults : spec.fault_counts)
      if (faults > RareEvents::max_faults)
        throw Error("resilience.faults", std::to_string(faults),
                    fmt::format("must be at most {} to be estimated as rare events; sample more, or count "
                                "them exactly",
                                RareEvents::max_faults));
  if (spec.lost_terminals) refuse_plans(survival, "resilience.lost", "true");
}

Fractions all_points(const Subject& subject, const Subject& asked, const Evaluator& evaluator,
                     const FractionsSpec& given, const StudyConditions& conditions,
                     const Progress& progress) {
  Fractions result;
  if (given.fault_counts.empty()) return result;
  FractionsSpec spec = given;
  spec.samples = std::min(spec.samples, spec.budget.value_or(spec.samples));
  const Points points(subject, asked, evaluator, spec, conditions);
  PointsProgress sets_progress(progress, subject.components, spec);
  std::uint64_t sets = 0;
  for (std::size_t i = 0; i < spec.fault_counts.size() && !result.interrupted; ++i) {
    sets_progress.begin(i);
    MeasuredPoint measured = points.measured(spec.fault_counts[i], sets_progress.evaluated());
    result.interrupted = !measured.complete;
    result.seconds += measured.seconds;
    sets += measured.point.sets;
    if (measured.point.sets != 0) result.points.push_back(std::move(measured.point));
  }
  result.sets_per_second = result.seconds > 0 ? static_cast<double>(sets) / result.seconds : 0;
  return result;
}

}  // namespace survival
}  // namespace faultline
