// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/small_fractions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/quantiles.h"
#include "base/sort_unique.h"
#include "resilience/cuts/network_cuts.h"

namespace faultline::survival {
namespace {

/// By the squares of the intervals' widths: where one is much wider, its fraction says little.
double weighted_mean(const RareEstimate& a, const RareEstimate& b) {
  const double of_a = a.interval.high - a.interval.low, of_b = b.interval.high - b.interval.low;
  const double sum = of_a * of_a + of_b * of_b;
  return sum == 0 ? b.fraction : (a.fraction * of_b * of_b + b.fraction * of_a * of_a) / sum;
}

}  // namespace

SmallFractions::SmallFractions(const Subject& subject, const FractionsSpec& spec,
                               const StudyConditions& conditions)
    : spec_(spec), conditions_(conditions) {
  if ((spec.method != ResilienceMethod::exact && spec.method != ResilienceMethod::rare) ||
      spec.fault_counts.empty())
    return;
  require(subject);
  if (!requirements_) return;  // stopped
  if (spec.method == ResilienceMethod::exact) {
    count(subject);
    return;
  }
  if (!is_monotone(subject.knowledge))
    refuse_method(spec.method,
                  "fractions must be exact, exhaustive or sampled with knowledge " +
                      to_string(subject.knowledge) +
                      ": a further fault may reconnect a pair, so that minimal cuts do not say which "
                      "sets are intolerable");
  rare_.emplace(*requirements_, std::ranges::max(spec.fault_counts));
}

/// Exact: for as many of the numbers of faults as the cuts allow. Rare: for all of them.
void SmallFractions::require(const Subject& subject) {
  if (subject.survival == Survival::fixed_paths) {
    requirements_ = compile_requirements(subject);
    if (!requirements_)
      refuse_method(spec_.method,
                    "a routing whose paths have cycles must be evaluated exhaustively or sampled");
    return;
  }
  const CutEffort effort{.stop = conditions_.stop};
  max_faults_ = std::ranges::max(spec_.fault_counts);
  requirements_ = cut_requirements(subject, max_faults_, effort);
  if (requirements_) return;
  max_faults_ = max_faults_of_requirements(subject, max_faults_, effort);
  not_counted_ = fmt::format("{} has too many minimal cuts of more than {} components to list",
                             subject.components.topology().name(), max_faults_);
  if (spec_.method == ResilienceMethod::exact && max_faults_ >= std::ranges::min(spec_.fault_counts))
    requirements_ = cut_requirements(subject, max_faults_, effort);
  if (!requirements_ && !is_set(conditions_.stop))
    refuse_method(spec_.method,
                  fmt::format("ask for exhaustive or sampled sets, or for at most {} faults: {}", max_faults_,
                              not_counted_));
}

/// From few faults upward, all from one budget: each number takes a few times as long as the one before, so
/// that those that can be counted are known before the others have taken minutes.
void SmallFractions::count(const Subject& subject) {
  std::vector<std::uint32_t> ascending = spec_.fault_counts;
  sort_unique(ascending);
  CountBudget budget{.steps = spec_.exact_steps, .stop = conditions_.stop};
  for (const std::uint32_t faults : ascending) {
    if (faults > max_faults_) break;  // require() has reported the reason
    auto counted = count_tolerable_sets(*requirements_, faults, budget);
    if (!counted) {
      not_counted_ = fmt::format("{} takes too long to count exactly for {} faults or more",
                                 subject.components.topology().name(), faults);
      break;
    }
    tolerable_sets_ = std::move(*counted);
  }
  if (tolerable_sets_.empty() && !is_set(conditions_.stop))
    refuse_method(spec_.method, "ask for rare or sampled sets, or for fewer faults: " + not_counted_);
}

void SmallFractions::refine(FaultPoint& point) const {
  if (!requirements_ || (rare_ && point.exhaustive)) return;
  if (rare_)
    refine_rare(point);
  else
    refine_exactly(point);
  if (point.exhaustive) return;
  // Intolerable sets lose at most every pair.
  Interval& connected = point.connected_pairs_interval;
  connected.low = std::max(connected.low, 1 - point.intolerable_interval.high);
  connected.high = std::max(connected.high, connected.low);
  point.connected_pairs_fraction = std::max(point.connected_pairs_fraction, connected.low);
}

/// The estimator's interval and that of the sets drawn at random both hold, together in 95 % of all cases:
/// each is missed on either side with a probability of at most 2 % and 0.5 %. The second matters where the
/// first is wide, because most derivations pick components repeatedly. If they exclude each other, one of
/// them has missed: both and what lies between them.
void SmallFractions::refine_rare(FaultPoint& point) const {
  constexpr double plain_tail = 0.025 - RareEvents::tail;
  const auto hits =
      static_cast<std::uint64_t>(std::llround(point.intolerable_fraction * static_cast<double>(point.sets)));
  const Interval plain = clopper_pearson(hits, point.sets, plain_tail);
  const auto estimate =
      rare_->estimate(point.faults, spec_.samples, conditions_.seed, conditions_.threads, conditions_.stop);
  if (!estimate) return;
  Interval both{std::max(plain.low, estimate->interval.low), std::min(plain.high, estimate->interval.high)};
  if (both.low > both.high)
    both = {std::min(plain.low, estimate->interval.low), std::max(plain.high, estimate->interval.high)};
  const double fraction =
      weighted_mean({.fraction = point.intolerable_fraction, .interval = plain}, *estimate);
  point.intolerable_fraction = std::clamp(fraction, both.low, both.high);
  point.intolerable_interval = both;
}

void SmallFractions::refine_exactly(FaultPoint& point) const {
  if (point.faults >= tolerable_sets_.size()) {
    if (!point.exhaustive) point.not_counted = not_counted_;
    return;
  }
  const BigInteger total = binomial(requirements_->components(), point.faults);
  const BigInteger intolerable = total - tolerable_sets_[point.faults];
  point.intolerable_sets = intolerable.str();
  point.sets_total = total.str();
  point.intolerable_fraction = quotient(intolerable, total);
  point.intolerable_interval = {point.intolerable_fraction, point.intolerable_fraction};
}

}  // namespace faultline::survival
