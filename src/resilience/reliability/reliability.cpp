// SPDX-License-Identifier: Apache-2.0
#include "resilience/reliability/reliability.h"

#include <fmt/format.h>

#include "resilience/reliability/set_sums.h"
#include "resilience/reliability/steady_state.h"

namespace faultline {

std::string_view to_string(Reliability::Method method) {
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

constexpr std::uint64_t few_hits = 1000;  ///< with fewer, rare events are tried as well

bool takes_every_set(const ReliabilitySpec& spec, const FailureModel& model) {
  const std::uint32_t n = model.components();
  const std::uint64_t drawn = spec.rates.front().repair_time ? spec.samples : spec.histories;
  const bool few = n <= max_exhaustive_components && std::uint64_t{1} << n <= drawn;
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

double width_of(const SteadyState& steady) {
  return steady.unavailability.interval.high - steady.unavailability.interval.low;
}

class SteadyStateStudy {
 public:
  SteadyStateStudy(const Subject& subject, const Tolerance& tolerance, const ReliabilitySpec& spec,
                   const SetEvaluation& how)
      : subject_(subject),
        tolerance_(tolerance),
        spec_(spec),
        how_(how),
        always_lost_(loses_a_pair_without_faults(how)) {}

  /// False if stopped.
  bool run(Reliability& result) const {
    if (takes_every_set(spec_, how_.model))
      return conclude(sums_over_every_set(how_), Reliability::Method::exhaustive, result);
    if (spec_.method == ResilienceMethod::rare && !always_lost_) {  // else nothing is rare
      const auto [rare, obstacle] = rare_sets(subject_, tolerance_, how_.model, how_.conditions.stop);
      if (is_set(how_.conditions.stop)) return false;
      if (!rare) refuse_method(spec_.method, "reliability must be sampled where " + obstacle);
      return conclude(*rare, result);
    }
    const auto sums = sums_over_drawn_sets(how_, spec_.samples);
    if (!conclude(sums, Reliability::Method::sampled, result)) return false;
    if (spec_.method != ResilienceMethod::automatic || sums->intolerable >= few_hits) return true;
    const auto rare = rare_sets(subject_, tolerance_, how_.model, how_.conditions.stop).sets;
    if (is_set(how_.conditions.stop)) return false;
    if (!rare) return true;
    Reliability other = result;
    if (!conclude(*rare, other)) return false;
    if (width_of(*other.steady) < width_of(*result.steady)) result = std::move(other);
    return true;
  }

 private:
  bool conclude(const RareSets& rare, Reliability& result) const {
    return conclude(sums_over_rare_sets(how_, rare, spec_.samples), Reliability::Method::rare, result,
                    rare.max_weight(), rare.known_faults());
  }

  bool conclude(const std::optional<LossSums>& sums, Reliability::Method method, Reliability& result,
                double max_weight = 1, std::uint32_t known_faults = 0) const {
    if (!sums) return false;
    result.method = method;
    result.sets = sums->sets;
    result.steady = steady_state({*sums, method, how_.model, max_weight, known_faults}, subject_.components,
                                 always_lost_);
    return true;
  }

  const Subject& subject_;
  const Tolerance& tolerance_;
  const ReliabilitySpec& spec_;
  const SetEvaluation& how_;
  bool always_lost_;
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
    const std::uint64_t terminals = subject.components.topology().terminal_count();
    const SetEvaluation how{evaluator, model, terminals * (terminals - 1), conditions};
    if (!SteadyStateStudy(subject, tolerance, spec, how).run(result)) return std::nullopt;
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
