// SPDX-License-Identifier: Apache-2.0
#include "resilience/reliability/reliability.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/arena.h"
#include "base/quantiles.h"
#include "base/sort_unique.h"
#include "resilience/cuts/network_cuts.h"
#include "resilience/fractions/bounded_mean.h"
#include "resilience/fractions/derivation_choices.h"
#include "resilience/fractions/distinct_picks.h"
#include "resilience/fractions/rare_event.h"

namespace faultline {

std::string_view name(Reliability::Method method) {
  switch (method) {
    case Reliability::Method::exhaustive:
      return "exhaustive";
    case Reliability::Method::sampled:
      return "sampled";
    case Reliability::Method::rare:
      return "rare";
  }
  return {};
}

namespace survival {
namespace {

using Sets = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint64_t few_hits = 1000;  ///< with fewer, rare events are tried as well
constexpr std::size_t most_important = 10;
/// What depends on the probability of losing a pair and on something else is missed on either side with a
/// probability of at most 2.5 %: the two are missed with these.
constexpr double tail_of_loss = 0.005, tail_of_other = 0.02;

/// The work of a run in parts of fixed size, so that sums do not depend on threads. Absent if stopped.
std::optional<LossSums> sum_parts(std::uint64_t count, const StudyConditions& conditions,
                                  std::uint32_t components,
                                  const std::function<void(std::uint64_t, std::uint64_t, LossSums&)>& part) {
  constexpr std::uint64_t parts = 64;
  std::vector<LossSums> sums(parts, LossSums(components));
  tbb::task_arena arena(arena_threads(conditions.threads));
  arena.execute([&] {
    tbb::parallel_for(std::uint64_t{0}, parts, [&](std::uint64_t number) {
      part(count * number / parts, count * (number + 1) / parts, sums[number]);
    });
  });
  if (is_set(conditions.stop)) return std::nullopt;
  LossSums all(components);
  for (const LossSums& one : sums) all.add(one);
  return all;
}

bool takes_every_set(const ReliabilitySpec& spec, const FailureModel& model) {
  const std::uint32_t n = model.components();
  const std::uint64_t drawn = spec.rates.front().repair_time ? spec.samples : spec.histories;
  const bool few = n <= most_exhaustive_components && std::uint64_t{1} << n <= drawn;
  return spec.method == ResilienceMethod::exhaustive || (spec.method == ResilienceMethod::automatic && few);
}

/// Faults are monotone: else no set of them loses a pair.
bool loses_a_pair_without_all(const Evaluator& evaluator, std::size_t components) {
  FaultBlock all{.faults = static_cast<std::uint32_t>(components), .lanes = 1, .members = {}};
  for (std::uint32_t component = 0; component < components; ++component) all.members.push_back(component);
  Verdicts verdicts;
  evaluator.clone()->evaluate(all, verdicts);
  return verdicts.lost_pairs.front() != 0;
}

class SteadyStateStudy {
 public:
  SteadyStateStudy(const Subject& subject, const Evaluator& evaluator, const Tolerance& tolerance,
                   const FailureModel& model, const ReliabilitySpec& spec, const StudyConditions& conditions)
      : subject_(subject),
        evaluator_(evaluator),
        tolerance_(tolerance),
        model_(model),
        spec_(spec),
        conditions_(conditions) {
    const std::uint64_t terminals = subject.components.topology().terminal_count();
    pairs_ = terminals * (terminals - 1);
  }

  bool run(Reliability& result) {
    if (takes_every_set(spec_, model_))
      return conclude(exhaustive(), Reliability::Method::exhaustive, result);
    if (spec_.method == ResilienceMethod::rare && !is_always_intolerable()) {  // else nothing is rare
      const auto obstacle = prepare_rare();
      if (is_set(conditions_.stop)) return false;
      if (obstacle) refuse_method(spec_.method, "reliability must be sampled where " + *obstacle);
      return conclude(rare(), Reliability::Method::rare, result);
    }
    const auto sums = sampled();
    if (!conclude(sums, Reliability::Method::sampled, result)) return false;
    if (spec_.method != ResilienceMethod::automatic || sums->intolerable >= few_hits) return true;
    const auto obstacle = prepare_rare();
    if (is_set(conditions_.stop)) return false;
    if (obstacle) return true;
    Reliability other = result;
    if (!conclude(rare(), Reliability::Method::rare, other)) return false;
    if (width(other) < width(result)) result = std::move(other);
    return true;
  }

 private:
  [[nodiscard]] static double width(const Reliability& result) {
    const Interval& interval = result.steady->unavailability.interval;
    return interval.high - interval.low;
  }

  std::optional<LossSums> exhaustive() {
    const std::uint32_t n = model_.components();
    return sum_parts(
        std::uint64_t{1} << n, conditions_, n, [&](std::uint64_t begin, std::uint64_t end, LossSums& sums) {
          in_blocks(begin, end, sums, [&](std::uint64_t set, std::vector<std::uint32_t>& failed) {
            double probability = 1;
            for (std::uint32_t component = 0; component < n; ++component) {
              const bool has_failed = (set >> component & 1U) != 0;
              const double q = model_.class_of(component).failed;
              probability *= has_failed ? q : 1 - q;
              if (has_failed) failed.push_back(component);
            }
            return probability;
          });
        });
  }

  std::optional<LossSums> sampled() {
    return sum_parts(spec_.samples, conditions_, model_.components(),
                     [&](std::uint64_t begin, std::uint64_t end, LossSums& sums) {
                       FailureModel own = model_;
                       in_blocks(begin, end, sums,
                                 [&](std::uint64_t set, std::vector<std::uint32_t>& failed) {
                                   RandomStream random(conditions_.seed, set);
                                   own.draw(random, failed);
                                   return 1.0;
                                 });
                     });
  }

  /// The reason if rare events cannot be drawn.
  std::optional<std::string> prepare_rare() {
    double witness = 1;
    for (const Component component : tolerance_.witness) witness *= model_.class_of(component).failed;
    if (tolerance_.witness.empty()) return "no set of faults that disconnects a pair is known";
    if (witness == 0) return "the fewest faults that disconnect a pair have a probability below 1e-308";
    auto faults = static_cast<std::uint32_t>(tolerance_.witness.size());
    while (faults < model_.components() && model_.at_least(faults + 1) > 1e-3 * witness) ++faults;
    if (faults > RareEvents::most_faults)
      return fmt::format("sets of {} faults or more matter; at most {} can be estimated",
                         RareEvents::most_faults + 1, RareEvents::most_faults);
    const bool fixed = subject_.survival == Survival::fixed_paths;
    requirements_ = fixed ? compile_requirements(subject_)
                          : cut_requirements(subject_, faults, {.stop = conditions_.stop});
    if (!requirements_)
      return fixed ? "paths have cycles"
                   : fmt::format("there are too many minimal cuts of at most {} components to list", faults);
    derivations_.emplace(*requirements_, largest_derivation(faults));
    const DistinctPicks distinct(*requirements_, 2 * derivations_->largest());
    const std::vector<double> likeliest = likeliest_sets(derivations_->largest());
    choices_.emplace(*derivations_, [&](Node output, std::uint32_t size) {
      const std::uint32_t fewest = distinct.fewest(output, size);
      return fewest == DistinctPicks::none ? 0.0 : likeliest[fewest];
    });
    rare_faults_ = faults;
    while (rare_faults_ > 0 && distinct.largest_of(rare_faults_) > derivations_->largest()) --rare_faults_;
    if (choices_->total() > 0) return std::nullopt;
    return fmt::format("a pair is lost only if components are counted more than {} times on its paths",
                       derivations_->largest());
  }

  /// By number of components: the probability that the likeliest ones have all failed.
  [[nodiscard]] std::vector<double> likeliest_sets(std::uint32_t most) const {
    std::vector<double> failed;
    for (const FailureModel::Class& one : model_.classes())
      failed.insert(failed.end(), std::min(one.count, most), one.failed);
    std::ranges::sort(failed, std::greater<>{});
    std::vector<double> products(most + 1, 0.0);
    products[0] = 1;
    for (std::uint32_t i = 0; i < std::min<std::size_t>(most, failed.size()); ++i)
      products[i + 1] = products[i] * failed[i];
    return products;
  }

  /// Karp and Luby's estimator, as in rare_event.h, for components that fail with their own probabilities.
  /// A set's weight is at most choices_->total().
  std::optional<LossSums> rare() {
    return sum_parts(spec_.samples, conditions_, model_.components(),
                     [&](std::uint64_t begin, std::uint64_t end, LossSums& sums) {
                       FailureModel own = model_;
                       Derivations::Contained contained(*derivations_);
                       in_blocks(begin, end, sums,
                                 [&](std::uint64_t set, std::vector<std::uint32_t>& failed) {
                                   RandomStream random(conditions_.seed, set);
                                   return derive(random, own, contained, failed);
                                 });
                     });
  }

  double derive(RandomStream& random, FailureModel& own, Derivations::Contained& contained,
                std::vector<std::uint32_t>& failed) const {
    const auto& choice = choices_->pick(random.next_unit());
    derivations_->draw(choice.output, choice.size, random, failed);
    sort_unique(failed);
    double weight = choices_->total() / choice.weight;
    for (const std::uint32_t component : failed) weight *= own.class_of(component).failed;
    own.draw_others(random, failed);
    return weight / contained.count(failed);
  }

  /// `make` fills in a set and returns its weight.
  void in_blocks(std::uint64_t begin, std::uint64_t end, LossSums& sums, const auto& make) {
    WeightedLossCounter counter(evaluator_, model_, pairs_);
    Sets sets;
    std::vector<double> weights;
    for (std::uint64_t first = begin; first < end && !is_set(conditions_.stop); first += counter.lanes()) {
      sets.assign(std::min<std::uint64_t>(end - first, counter.lanes()), {});
      weights.clear();
      for (std::uint64_t i = 0; i < sets.size(); ++i) weights.push_back(make(first + i, sets[i]));
      counter.add(sets, weights, sums);
    }
  }

  bool conclude(const std::optional<LossSums>& sums, Reliability::Method method, Reliability& result) {
    if (!sums) return false;
    result.method = method;
    result.sets = sums->sets;
    method_ = method;
    sums_ = &*sums;
    SteadyState& steady = result.steady.emplace();
    steady.disconnected_pairs = estimate(sums_->lost, sums_->lost_squared);
    steady.connected_pairs = rest_of(steady.disconnected_pairs, sums_->kept);
    if (is_always_intolerable()) {
      steady.unavailability = {1, {1, 1}};
      steady.availability = {};
      return true;
    }
    steady.unavailability = estimate(sums_->weight, sums_->weight_squared);
    steady.availability = rest_of(steady.unavailability, sums_->tolerable_weight);
    conclude_time(steady);
    if (sums_->weight > 0) conclude_importance(steady);
    return true;
  }

  /// A pair is disconnected without any fault: there is no up time, and no component matters.
  [[nodiscard]] bool is_always_intolerable() const {
    LossSums intact(model_.components());
    WeightedLossCounter(evaluator_, model_, pairs_)
        .add(std::vector<std::vector<std::uint32_t>>(1), std::vector{1.0}, intact);
    return intact.intolerable != 0;
  }

  /// Fractions of the whole probability, from sums over sets.
  [[nodiscard]] Estimate estimate(double sum, double squares) const {
    if (method_ == Reliability::Method::exhaustive) {
      const double value = std::min(sum, 1.0);
      return {value, {value, value}};
    }
    if (method_ == Reliability::Method::rare) return rare_estimate(sum, squares, RareEvents::tail);
    const auto count = static_cast<double>(sums_->sets);
    Estimate result{sum / count, mean_interval_with_one_unseen(sum, squares, count)};
    const double drawn = model_.probability_of_drawing();
    // Few hits have no normal interval; each counts for at most one.
    const Interval hits = clopper_pearson(
        static_cast<std::uint64_t>(std::llround(squares > 0 ? sum * sum / squares : 0)), sums_->sets);
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
    const auto count = static_cast<double>(sums_->sets);
    // Sets that contain one cut have equal weights, and those that contain two may all be unseen.
    Interval found = bounded_mean_interval(sum, squares, count, {0, choices_->total()}, tail);
    found.high += probability_unknown();
    return within_bounds({sum / count, found});
  }

  /// The probability that a pair is lost, where it is not the whole answer.
  [[nodiscard]] Estimate loss_among_others(const Estimate& whole) const {
    if (method_ == Reliability::Method::exhaustive) return whole;
    if (method_ == Reliability::Method::rare)
      return rare_estimate(sums_->weight, sums_->weight_squared, tail_of_loss);
    const double drawn = model_.probability_of_drawing();
    const Interval share = clopper_pearson(sums_->intolerable, sums_->sets, tail_of_loss);
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
    return rare_faults_ == model_.components() ? 0 : model_.at_least(rare_faults_ + 1);
  }

  /// All sets were tried, and those that lose a pair have most of the probability: it is told from one by the
  /// others.
  [[nodiscard]] bool is_mostly_intolerable() const {
    return method_ == Reliability::Method::exhaustive && sums_->weight > 0.5;
  }

  void conclude_time(SteadyState& steady) const {
    if (is_mostly_intolerable()) {
      if (sums_->left_per_hour <= 0) return;
      const double hours = sums_->tolerable_weight / sums_->left_per_hour;
      steady.hours_to_intolerable = {hours, {hours, hours}};
      return;
    }
    if (sums_->rate <= 0) return;
    const Estimate down = loss_among_others(steady.unavailability);
    const Estimate rate = failure_frequency(down.interval);
    steady.hours_to_intolerable = {(1 - down.value) / rate.value,
                                   {(1 - down.interval.high) / rate.interval.high,
                                    rate.interval.low > 0 ? (1 - down.interval.low) / rate.interval.low
                                                          : std::numeric_limits<double>::infinity()}};
  }

  /// How often per hour intolerable sets are entered; `down` is the interval of their probability.
  [[nodiscard]] Estimate failure_frequency(Interval down) const {
    if (method_ == Reliability::Method::exhaustive) return {sums_->rate, {sums_->rate, sums_->rate}};
    const bool is_rare = method_ == Reliability::Method::rare;
    const double drawn = is_rare ? 1 : model_.probability_of_drawing();
    const auto count = static_cast<double>(sums_->sets), hits = static_cast<double>(sums_->intolerable);
    Estimate rate{sums_->rate / count * drawn, {}};
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
    const double scale = is_rare ? choices_->total() : 1;
    const Interval range{-all * scale, std::max(0.0, faults * fastest - all) * scale};
    const Interval each =
        bounded_mean_interval(sums_->rate, sums_->rate_squared, is_rare ? count : hits, range, tail_of_other);
    const double low = std::max(0.0, each.low);
    if (!is_rare)
      rate.interval = {down.low * low, down.high * each.high};
    else
      rate.interval = {
          low, each.high + (rare_faults_ == model_.components() ? 0 : all * model_.at_least(rare_faults_))};
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
        const double sum = sums_->with[component], squares = sums_->with_squared[component];
        with.push_back(method_ == Reliability::Method::rare ? rare_estimate(sum, squares, tail)
                                                            : estimate(sum, squares));
        continue;
      }
      // Of the sets drawn with it: how many were drawn is known better than by counting.
      const std::uint64_t held = sums_->held[component];
      const auto lost = static_cast<std::uint64_t>(std::llround(sums_->with[component]));
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
        if (!sums_->matters(component)) birnbaum[component] = {};  // rounding leaves a little
    return birnbaum;
  }
  [[nodiscard]] std::vector<Estimate> rounded_birnbaum_of_each(const Estimate& all) const {
    std::vector<Estimate> birnbaum;
    birnbaum.reserve(model_.components());
    if (is_mostly_intolerable()) {
      for (std::uint32_t component = 0; component < model_.components(); ++component) {
        const double q = model_.class_of(component).failed, with = sums_->tolerable_with[component];
        const double value = std::clamp((sums_->tolerable_weight - with) / (1 - q) - with / q, 0.0, 1.0);
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

  void conclude_importance(SteadyState& steady) const {
    std::vector<std::uint32_t> order(model_.components());
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<Estimate> birnbaum = birnbaum_of_each(loss_among_others(steady.unavailability));
    // What is certain to matter comes before what a few samples suggest.
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::uint32_t c) {
      return std::pair(birnbaum[c].interval.low, birnbaum[c].value);
    });
    for (const std::uint32_t component : std::span(order).first(std::min(order.size(), most_important))) {
      if (birnbaum[component].value <= 0) break;
      steady.most_important.push_back({subject_.components.name(component), birnbaum[component]});
    }
  }

  const Subject& subject_;
  const Evaluator& evaluator_;
  const Tolerance& tolerance_;
  const FailureModel& model_;
  const ReliabilitySpec& spec_;
  const StudyConditions& conditions_;
  std::uint64_t pairs_;
  std::uint32_t rare_faults_ = 0;  ///< an intolerable set of at most that many contains a derivation
  std::optional<Circuit> requirements_;
  std::optional<Derivations> derivations_;
  std::optional<DerivationChoices> choices_;
  Reliability::Method method_ = Reliability::Method::sampled;
  const LossSums* sums_ = nullptr;
};

}  // namespace

std::optional<Reliability> reliability(const Subject& subject, const Evaluator& evaluator,
                                       const Tolerance& tolerance, const ReliabilitySpec& spec,
                                       const StudyConditions& conditions) {
  Reliability result;
  std::vector<FailureModel::Class> classes;
  for (std::uint32_t component = 0; component < subject.components.count(); ++component) {
    const ComponentRate& rate = *rate_of(spec, subject.components.unit(component));
    if (result.classes.empty() || result.classes.back().rate.unit != rate.unit) {
      const double load = rate.failure_rate * rate.repair_time.value_or(0);
      const double unavailability = load / (1 + load);
      if (rate.repair_time && !(unavailability > 0 && unavailability < 1))
        throw Error("resilience.failure-rate", fmt::format("{}", rate.failure_rate),
                    "must leave a component failed for some but not all of the time; it is multiplied by the "
                    "repair time");
      result.classes.push_back({rate, 0, std::nullopt});
      if (rate.repair_time) result.classes.back().unavailability = unavailability;
      // Without repair the probability is not used; any value will do.
      classes.push_back({component, 0, rate.repair_time ? unavailability : 1e-9, rate.failure_rate});
    }
    ++result.classes.back().components;
    ++classes.back().count;
  }
  // Where the tolerance is a lower bound, smaller sets than its witness may lose a pair, or none does.
  const bool can_lose =
      tolerance.exact ? tolerance.can_lose : loses_a_pair_without_all(evaluator, subject.components.count());
  const auto least =
      tolerance.exact ? static_cast<std::uint32_t>(tolerance.witness.size())  // none: the whole interval does
                      : tolerance.faults + 1;
  const FailureModel model(std::move(classes), least);
  if (spec.rates.front().repair_time) {
    if (!can_lose) {
      result.steady.emplace();
      return result;
    }
    if (model.probability_of_drawing() <= 0)
      throw Error("resilience.failure-rate", fmt::format("{}", spec.rates.front().failure_rate),
                  fmt::format("must make {} simultaneous failures, the fewest that can disconnect a pair, "
                              "likelier than 1e-300",
                              least));
    if (!SteadyStateStudy(subject, evaluator, tolerance, model, spec, conditions).run(result))
      return std::nullopt;
    return result;
  }
  if (!can_lose) return result;
  if (least == 0 || takes_every_set(spec, model)) {
    result.method = Reliability::Method::exhaustive;
    result.sets = least == 0 ? 1 : std::uint64_t{1} << model.components();
    result.first_loss = least == 0 ? Estimate() : first_loss_by_sets(evaluator, model, conditions);
  } else {
    result.sets = spec.histories;
    result.first_loss = first_loss_by_histories(evaluator, model, result.sets, conditions);
  }
  if (!result.first_loss) return std::nullopt;
  return result;
}

}  // namespace survival
}  // namespace faultline
