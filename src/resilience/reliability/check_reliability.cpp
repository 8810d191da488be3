// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "resilience/reliability/reliability.h"

namespace faultline::survival {

const ComponentRate* rate_of(const ReliabilitySpec& spec, FaultUnit unit) {
  const auto found = std::ranges::find(spec.rates, unit, &ComponentRate::unit);
  return found == spec.rates.end() ? nullptr : &*found;
}

void check_reliability(const ReliabilitySpec& spec, const FaultComponents& components, Knowledge knowledge,
                       Survival survival) {
  if (spec.samples == 0) throw Error("resilience.samples", "0", "must be at least 1");
  if (spec.histories < 2 && !spec.rates.empty() && !spec.rates.front().repair_time)
    throw Error("resilience.samples", std::to_string(spec.histories),
                "must be at least 2 without repair, to estimate a mean with its interval");
  if (spec.rates.empty())
    throw Error("resilience.failure-rate", "none",
                "must be given for each of " + to_string(components.units()));
  refuse_plans(survival, "resilience.failure-rate", fmt::format("{}", spec.rates.front().failure_rate));
  for (const ComponentRate& rate : spec.rates) {
    if (!components.units().contains(rate.unit))
      throw Error("resilience.failure-rate", std::string(to_string(rate.unit)),
                  "must name a unit that may fail: " + to_string(components.units()));
    if (!(rate.failure_rate > 0) || !std::isfinite(rate.failure_rate))
      throw Error("resilience.failure-rate", fmt::format("{}", rate.failure_rate),
                  "must be above 0 per hour");
    if (rate.repair_time && (!(*rate.repair_time > 0) || !std::isfinite(*rate.repair_time)))
      throw Error("resilience.repair-time", fmt::format("{}", *rate.repair_time), "must be above 0 hours");
    if (rate.repair_time.has_value() != spec.rates.front().repair_time.has_value())
      throw Error("resilience.repair-time", std::string(to_string(rate.unit)),
                  "must be given for every unit that fails, or for none");
  }
  for (std::size_t component = 0; component < components.count(); ++component)
    if (const FaultUnit unit = components.unit(component); rate_of(spec, unit) == nullptr)
      throw Error("resilience.failure-rate", std::string(to_string(unit)),
                  "has none; give one for each of " + to_string(components.units()));
  if (!is_monotone(knowledge))
    throw Error("resilience.knowledge", to_string(knowledge),
                "must be none or all for reliability: in between, a further fault may reconnect a pair");
  if (spec.method == ResilienceMethod::exact)
    refuse_method(spec.method, "reliability must be exhaustive, rare or sampled");
  if (spec.method == ResilienceMethod::rare && !spec.rates.front().repair_time)
    refuse_method(spec.method, "reliability without repair must be exhaustive or sampled");
  if (spec.method == ResilienceMethod::exhaustive && components.count() > max_exhaustive_components)
    refuse_method(
        spec.method,
        fmt::format(
            "reliability of {} components must be rare or sampled, since more than {} have too many sets",
            components.count(), max_exhaustive_components));
}

}  // namespace faultline::survival
