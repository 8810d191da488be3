// SPDX-License-Identifier: Apache-2.0
// When failures occur and which components they take: what all fault processes have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/describe/fields.h"
#include "faultline/fault/process.h"

namespace faultline {

/// Components that fail at one time.
struct Strike {
  std::uint64_t cycle = 0;
  std::vector<std::uint32_t> components;
};

/// Parameters that every process has. A struct that derives from it lists them with strike_fields().
struct StrikeParams {
  double rate = 0;
  std::uint32_t faults = 0;
  std::string unit = "link", scope = "network";
  std::uint64_t from = 0;
  std::uint32_t together = 1, radius = 2;

  /// One of rate and faults, and not both.
  void check(const Description& given) const;

  [[nodiscard]] FaultComponents components(const FaultProcessContext& context) const;

  /// In order of time, in the cycles from `from` on and before the end. With a rate, strikes are a Poisson
  /// process, so that a component is struck `rate` times per cycle on average over all components: with
  /// `together` above 1, those near the border of the network less often and the others more often. Otherwise
  /// there are as many strikes as it takes to strike `faults` components, at uniformly distributed times.
  /// With `distinct`, these components are all different. Throws Error if there are fewer, if there would be
  /// more than a million failures, and if the run ends before `from`.
  [[nodiscard]] std::vector<Strike> strikes(const FaultComponents& components,
                                            const FaultProcessContext& context, bool distinct) const;
};

template <class Params>
void strike_fields(auto& field) {
  const auto list = [&]<class Member>(std::string_view name, Member StrikeParams::*member, const Rule& rule,
                                      std::string_view help) {
    field(name, static_cast<Member Params::*>(member), rule, help);  // as a member of the derived struct
  };
  list("rate", &StrikeParams::rate, between(0, 1),
       "mean number of failures per cycle of a component that is up, such as 1e-7 (with several together, "
       "averaged over "
       "all components: those near the border of the network fail less often)");
  list("faults", &StrikeParams::faults, between(0, 1'000'000),
       "number of failures in the run, instead of a rate (several together: fewer, where some of them are "
       "already down)");
  list("unit", &StrikeParams::unit, sum_of({"channel", "link", "switch", "terminal"}),
       "type of component that fails");
  list("scope", &StrikeParams::scope, one_of({"network", "terminal", "all"}), "which components may fail");
  list("from", &StrikeParams::from, at_least(0), "first cycle in which a component may fail");
  list("together", &StrikeParams::together, between(1, 4096),
       "components that fail in the same cycle, within the radius of a random switch");
  list("radius", &StrikeParams::radius, between(0, 1000),
       "maximum hops from that switch; more if too few components lie within them");
}

/// Exponentially distributed, at least one cycle.
[[nodiscard]] std::uint64_t exponential_cycles(double mean, double unit);

}  // namespace faultline
