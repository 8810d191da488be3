// SPDX-License-Identifier: Apache-2.0
#include "faultline/resilience/resilience.h"

#include "resilience/fractions/all_points.h"
#include "resilience/reliability/reliability.h"

namespace faultline {
namespace {

using namespace survival;

/// Checks before anything is compiled.
void check(const ResilienceSpec& spec, Survival survival, const FaultComponents& components) {
  const Knowledge knowledge = spec.conditions.knowledge;
  const SourceRole source = effective_role(spec.conditions.source, knowledge);
  const bool anew = is_computed_anew(survival, knowledge, source);
  const Survival evaluated = anew ? survival : Survival::fixed_paths;
  check_fractions(spec.fractions, components, evaluated);
  if (!spec.reliability.rates.empty()) check_reliability(spec.reliability, components, knowledge, evaluated);
  if (spec.adversary) refuse_plans(evaluated, "resilience.adversary", "true");
  if (spec.cuts != 0) refuse_plans(evaluated, "resilience.cuts", std::to_string(spec.cuts));
}

}  // namespace

void settle_tolerated(const ToleratedFaults& tolerance, std::vector<FaultPoint>& points) {
  if (tolerance.if_connected) return;
  for (FaultPoint& point : points) {
    if (point.faults > tolerance.faults || point.intolerable_fraction != 0) continue;
    point.intolerable_interval = {0, 0};
    point.connected_pairs_interval = {1, 1};
  }
}

ResilienceResult resilience(const RelationPtr& relation, Survival survival, const FaultComponents& components,
                            const ResilienceSpec& spec, const Progress& progress) {
  check(spec, survival, components);
  const StopFlag stop = spec.conditions.stop;
  ResilienceStudy study(relation, survival, components, spec.conditions, progress);
  ResilienceResult result{.unit = components.units(),
                          .scope = components.scope(),
                          .knowledge = spec.conditions.knowledge,
                          .source = spec.conditions.source,
                          .components = components.count(),
                          .tolerance = study.tolerance(progress),
                          .lost_without_faults = study.lost_without_faults(),
                          .critical = study.critical()};
  if (spec.cuts != 0) result.minimum_cuts = study.minimum_cuts(spec.cuts);
  if (spec.failing_set) {
    result.smallest_failing = study.smallest_failing();
    result.interrupted = is_set(stop);
  }
  if (!result.interrupted) {
    result.fractions = study.fractions(spec.fractions, progress);
    settle_tolerated(result.tolerance, result.fractions.points);
    result.interrupted = result.fractions.interrupted;
  }
  if (spec.adversary && !result.interrupted) try {
      for (FaultPoint& point : result.fractions.points) point.worst_faults = study.worst(point.faults);
    } catch (const Stopped&) {
      result.interrupted = true;
    }
  if (!spec.reliability.rates.empty() && !result.interrupted) {
    result.reliability = study.reliability(spec.reliability);
    result.interrupted = !result.reliability;
  }
  return result;
}

}  // namespace faultline
