// SPDX-License-Identifier: Apache-2.0
#include "resilience/reliability/steady_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/quantiles.h"
#include "resilience/fractions/bounded_mean.h"
#include "resilience/fractions/rare_event.h"

namespace faultline::survival {
namespace {

constexpr std::size_t most_important = 10;
/// What depends on the probability of losing a pair and on something else is missed on either side with a
/// probability of at most 2.5 %: the two are missed with these.
constexpr double tail_of_loss = 0.005, tail_of_other = 0.02;

class Conclusion {
 public:
  explicit Conclusion(const SummedSets& summed)
      : sums_(summed.sums),
        method_(summed.method),
        model_(summed.model),
        max_weight_(summed.max_weight),
        known_faults_(summed.known_faults) {}

  [[nodiscard]] SteadyState run(const FaultComponents& components, bool always_lost) const {
    SteadyState steady;
    steady.disconnected_pairs = estimate(sums_.lost, sums_.lost_squared);
    steady.connected_pairs = rest_of(steady.disconnected_pairs, sums_.kept);
    if (always_lost) {  // there is no up time, and no component matters
      steady.unavailability = {1, {1, 1}};
      steady.availability = {};
      return steady;
    }
    steady.unavailability = estimate(sums_.weight, sums_.weight_squared);
    steady.availability = rest_of(steady.unavailability, sums_.tolerable_weight);
    conclude_time(steady);
    if (sums_.weight > 0) conclude_importance(components, steady);
    return steady;
  }

 private:
  /// Fractions of the whole probability, from sums over sets.
  [[nodiscard]] Estimate estimate(double sum, double squares) const {
    if (method_ == Reliability::Method::exhaustive) {
      const double value = std::min(sum, 1.0);
      return {value, {value, value}};
    }
    if (method_ == Reliability::Method::rare) return rare_estimate(sum, squares, RareEvents::tail);
    const auto count = static_cast<double>(sums_.sets);
    Estimate result{sum / count, mean_interval_with_one_unseen(sum, squares, count)};
    const double drawn = model_.probability_of_drawing();
    // Few hits have no normal interval; each counts for at most one.
    const Interval hits = clopper_pearson(
        static_cast<std::uint64_t>(std::llround(squares > 0 ? sum * sum / squares : 0)), sums_.sets);
    const double each = squares > 0 ? squares / sum : 1;
    result.interval.low = std::min(result.interval.low, hits.low * each);
    result.interval.high = std::max(result.interval.high, hits.high * each);
    return within_bounds({result.value * drawn, {result.interval.low * drawn, result.interval.high * drawn}});
  }

  [[nodiscard]] static Estimate within_bounds(Estimate one) {
    one.interval = {std::max(0.0, one.interval.low), std::min(1.0, one.interval.high)};
    one.value = std::clamp(one.value, one.interval.low, one.interval.high);
    return one;
  }

  /// Of the estimator of rare events.
  [[nodiscard]] Estimate rare_estimate(double sum, double squares, double tail) const {
    const auto count = static_cast<double>(sums_.sets);
    // Sets that contain one cut have equal weights, and those that contain two may all be unseen.
    Interval found = bounded_mean_interval(sum, squares, count, {0, max_weight_}, tail);
    found.high += probability_unknown();
    return within_bounds({sum / count, found});
  }

  /// The probability that a pair is lost, where it is not the whole answer.
  [[nodiscard]] Estimate loss_among_others(const Estimate& whole) const {
    if (method_ == Reliability::Method::exhaustive) return whole;
    if (method_ == Reliability::Method::rare)
      return rare_estimate(sums_.weight, sums_.weight_squared, tail_of_loss);
    const double drawn = model_.probability_of_drawing();
    const Interval share = clopper_pearson(sums_.intolerable, sums_.sets, tail_of_loss);
    return {whole.value, {share.low * drawn, share.high * drawn}};
  }

  /// One less `lost`, which is close to one where a network is mostly down: then the sum of the rest has
  /// digits.
  [[nodiscard]] Estimate rest_of(const Estimate& lost, double kept) const {
    if (method_ == Reliability::Method::exhaustive && lost.value > 0.5) return estimate(kept, 0);
    return {1 - lost.value, {1 - lost.interval.high, 1 - lost.interval.low}};
  }

  /// Of sets that may be intolerable for cuts that no derivation knows.
  [[nodiscard]] double probability_unknown() const {
    return known_faults_ == model_.components() ? 0 : model_.at_least(known_faults_ + 1);
  }

  /// All sets were tried, and those that lose a pair have most of the probability: it is told from one by the
  /// others.
  [[nodiscard]] bool is_mostly_intolerable() const {
    return method_ == Reliability::Method::exhaustive && sums_.weight > 0.5;
  }

  void conclude_time(SteadyState& steady) const {
    if (is_mostly_intolerable()) {
      if (sums_.left_per_hour <= 0) return;
      const double hours = sums_.tolerable_weight / sums_.left_per_hour;
      steady.hours_to_intolerable = {hours, {hours, hours}};
      return;
    }
    const Estimate down = loss_among_others(steady.unavailability);
    const Estimate rate = failure_frequency(down.interval);
    // Where most sets lose a pair, the rates at which these are entered and left nearly cancel.
    const bool is_mostly_down = method_ == Reliability::Method::sampled && down.value > 0.5;
    const double hours = is_mostly_down   ? hours_in_tolerable_sets()
                         : rate.value > 0 ? (1 - down.value) / rate.value
                                          : 0;
    if (hours <= 0) return;
    const Interval found{(1 - down.interval.high) / rate.interval.high,
                         rate.interval.low > 0 ? (1 - down.interval.low) / rate.interval.low
                                               : std::numeric_limits<double>::infinity()};
    steady.hours_to_intolerable = {is_mostly_down ? std::clamp(hours, found.low, found.high) : hours, found};
  }

  /// Of drawn sets, and of those with fewer faults, which lose no pair. 0 where these are so improbable that
  /// drawn sets may well have missed as much.
  [[nodiscard]] double hours_in_tolerable_sets() const {
    const double each = model_.probability_of_drawing() / static_cast<double>(sums_.sets);
    const double tolerable = model_.probability_of_not_drawing() + each * sums_.tolerable_weight;
    const double left = model_.not_drawn_left_per_hour() + each * sums_.left_per_hour;
    return tolerable >= 3 * each && left > 0 ? tolerable / left : 0;
  }

  /// How often per hour intolerable sets are entered; `down` is the interval of their probability.
  [[nodiscard]] Estimate failure_frequency(Interval down) const {
    if (method_ == Reliability::Method::exhaustive) return {sums_.rate, {sums_.rate, sums_.rate}};
    const bool is_rare = method_ == Reliability::Method::rare;
    const double drawn = is_rare ? 1 : model_.probability_of_drawing();
    const auto count = static_cast<double>(sums_.sets), hits = static_cast<double>(sums_.intolerable);
    Estimate rate{sums_.rate / count * drawn, {}};
    double all = 0, fastest = 0;  // failures per hour; repairs per hour of one component
    for (const FailureModel::Class& one : model_.classes()) {
      all += one.failure_rate * one.count;
      fastest = std::max(fastest, one.failure_rate / one.failed);
    }
    // Sets of more faults are entered at most all * at_least(faults) times: one component fails beside them.
    std::uint32_t faults = 1;
    while (faults < model_.components() && all * model_.at_least(faults) > 1e-6 * rate.value) ++faults;
    // Sets of one cut have equal rates: those of several may all be unseen. Where many components work, a set
    // is entered more often than it is left; all together are not.
    const double scale = is_rare ? max_weight_ : 1;
    const Interval range{-all * scale, std::max(0.0, faults * fastest - all) * scale};
    const Interval each =
        bounded_mean_interval(sums_.rate, sums_.rate_squared, is_rare ? count : hits, range, tail_of_other);
    const double low = std::max(0.0, each.low);
    if (!is_rare)
      rate.interval = {down.low * low, down.high * each.high};
    else
      rate.interval = {
          low, each.high + (known_faults_ == model_.components() ? 0 : all * model_.at_least(known_faults_))};
    return rate;
  }

  /// The probability that the component has failed and a pair is lost.
  [[nodiscard]] std::vector<Estimate> with_each() const {
    std::vector<Estimate> with;
    with.reserve(model_.components());
    const std::vector<double> drawn = model_.probabilities_of_drawing_with();
    // The components that are shown are those that came out highest: the intervals hold for all together.
    const double tail = tail_of_other / static_cast<double>(model_.components());
    for (std::uint32_t component = 0; component < model_.components(); ++component) {
      if (method_ != Reliability::Method::sampled) {
        const double sum = sums_.with[component], squares = sums_.with_squared[component];
        with.push_back(method_ == Reliability::Method::rare ? rare_estimate(sum, squares, tail)
                                                            : estimate(sum, squares));
        continue;
      }
      // Of the sets drawn with it: how many were drawn is known better than by counting.
      const std::uint64_t held = sums_.held[component];
      const auto lost = static_cast<std::uint64_t>(std::llround(sums_.with[component]));
      const double each = model_.class_of(component).failed * drawn[model_.class_number(component)];
      const Interval share = held == 0 ? Interval{0, 1} : clopper_pearson(lost, held, tail);
      with.push_back({held == 0 ? 0.0 : static_cast<double>(lost) / static_cast<double>(held) * each,
                      {share.low * each, share.high * each}});
    }
    return with;
  }

  /// By component: how much likelier the loss of a pair is if it has failed than if it works (Birnbaum).
  [[nodiscard]] std::vector<Estimate> birnbaum_of_each(const Estimate& all) const {
    std::vector<Estimate> birnbaum = rounded_birnbaum_of_each(all);
    if (method_ == Reliability::Method::exhaustive)
      for (std::uint32_t component = 0; component < model_.components(); ++component)
        if (!sums_.matters(component)) birnbaum[component] = {};  // rounding leaves a little
    return birnbaum;
  }
  [[nodiscard]] std::vector<Estimate> rounded_birnbaum_of_each(const Estimate& all) const {
    std::vector<Estimate> birnbaum;
    birnbaum.reserve(model_.components());
    if (is_mostly_intolerable()) {
      for (std::uint32_t component = 0; component < model_.components(); ++component) {
        const double q = model_.class_of(component).failed, with = sums_.tolerable_with[component];
        const double value = std::clamp((sums_.tolerable_weight - with) / (1 - q) - with / q, 0.0, 1.0);
        birnbaum.push_back({value, {value, value}});
      }
      return birnbaum;
    }
    const std::vector<Estimate> with = with_each();
    for (std::uint32_t component = 0; component < model_.components(); ++component) {
      const double q = model_.class_of(component).failed;
      const double most = std::min(1.0, (1 - all.interval.low) / (1 - q));  // of one that is always needed
      const auto from = [&](double failed, double any) {
        return std::clamp((failed - q * any) / (q * (1 - q)), 0.0, most);
      };
      const Estimate& here = with[component];
      birnbaum.push_back(
          {from(here.value, all.value),
           {from(here.interval.low, all.interval.high), from(here.interval.high, all.interval.low)}});
    }
    return birnbaum;
  }

  void conclude_importance(const FaultComponents& components, SteadyState& steady) const {
    std::vector<std::uint32_t> order(model_.components());
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<Estimate> birnbaum = birnbaum_of_each(loss_among_others(steady.unavailability));
    // What is certain to matter comes before what a few samples suggest.
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::uint32_t c) {
      return std::pair(birnbaum[c].interval.low, birnbaum[c].value);
    });
    for (const std::uint32_t component : std::span(order).first(std::min(order.size(), most_important))) {
      if (birnbaum[component].value <= 0) break;
      steady.most_important.push_back({components.name(component), birnbaum[component]});
    }
  }

  const LossSums& sums_;
  Reliability::Method method_;
  const FailureModel& model_;
  double max_weight_;
  std::uint32_t known_faults_;
};

}  // namespace

SteadyState steady_state(const SummedSets& summed, const FaultComponents& components, bool always_lost) {
  return Conclusion(summed).run(components, always_lost);
}

}  // namespace faultline::survival
