// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/small_fractions.h"

#include <fmt/format.h>

#include <algorithm>

#include "resilience/cuts/network_cuts.h"
#include "resilience/fractions/rare_event.h"

namespace faultline::survival {
namespace {

double ratio(const BigInteger& part, const BigInteger& whole) {
  return static_cast<double>(part.convert_to<long double>() / whole.convert_to<long double>());
}

[[noreturn]] void refuse(ResilienceMethod method, const std::string& why) {
  throw Error("resilience.method", method == ResilienceMethod::exact ? "exact" : "rare", why);
}

}  // namespace

SmallFractions::SmallFractions(const Subject& subject, const ResilienceSpec& spec) : spec_(spec) {
  if ((spec.method != ResilienceMethod::exact && spec.method != ResilienceMethod::rare) ||
      spec.fault_counts.empty())
    return;
  require(subject);
  if (spec.method == ResilienceMethod::exact) {
    count(subject);
    return;
  }
  if (!is_monotone(subject.knowledge))
    refuse(spec.method, "must be exact, exhaustive or sampled where switches know " +
                            to_string(subject.knowledge) +
                            ": a further fault may reconnect a pair, so that minimal cuts do not say which "
                            "sets are intolerable");
  derivations_.emplace(*requirements_, largest_derivation(std::ranges::max(spec.fault_counts)));
}

void SmallFractions::require(const Subject& subject) {
  if (subject.survival == Survival::fixed_paths) {
    requirements_ = compile_requirements(subject);
    if (!requirements_)
      refuse(spec_.method, "must be exhaustive or sampled for a routing whose paths lead in circles");
    return;
  }
  const std::uint32_t most = std::ranges::max(spec_.fault_counts);
  CutRequirements cuts = cut_requirements(subject, most);
  if (!cuts.circuit)
    refuse(spec_.method,
           fmt::format(
               "must be exhaustive or sampled, or for at most {} faults: {} has too many minimal cuts of "
               "up to {} components to list",
               cuts.largest, subject.components.topology().name(), most));
  requirements_ = std::move(cuts.circuit);
}

void SmallFractions::count(const Subject& subject) {
  auto counted = count_tolerable_sets(*requirements_, std::ranges::max(spec_.fault_counts));
  if (!counted)
    refuse(spec_.method, "must be rare or sampled, or for fewer faults: " +
                             subject.components.topology().name() + " takes too long to count exactly for " +
                             std::to_string(std::ranges::max(spec_.fault_counts)) + " faults");
  tolerable_sets_ = std::move(*counted);
}

void SmallFractions::refine(FaultPoint& point) const {
  if (!requirements_ || point.exhaustive) return;
  refine_intolerable(point);
  // Intolerable sets lose at most every pair.
  point.connected_pairs_interval.low =
      std::max(point.connected_pairs_interval.low, 1 - point.intolerable_interval.high);
}

void SmallFractions::refine_intolerable(FaultPoint& point) const {
  if (derivations_) {
    const RareEstimate estimate =
        estimate_rare(*derivations_, point.faults, spec_.samples, spec_.seed, spec_.threads);
    point.intolerable_fraction = estimate.fraction;
    point.intolerable_interval = estimate.interval;
    return;
  }
  const BigInteger total = binomial(requirements_->components(), point.faults);
  const BigInteger intolerable = total - tolerable_sets_[point.faults];
  point.intolerable_sets = intolerable.str();
  point.sets_total = total.str();
  point.intolerable_fraction = ratio(intolerable, total);
  point.intolerable_interval = {point.intolerable_fraction, point.intolerable_fraction};
}

}  // namespace faultline::survival
