// SPDX-License-Identifier: Apache-2.0
// Resilience under given failure rates and repair times. Components fail and are repaired independently, at
// constant rates (Billinton & Allan, Reliability Evaluation of Engineering Systems, 1992).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/interval.h"
#include "faultline/fault/components.h"
#include "faultline/resilience/fractions.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Rates of each component of a unit.
struct ComponentRate {
  FaultUnit unit = FaultUnit::link;
  double failure_rate = 0;            ///< failures per hour while it works
  std::optional<double> repair_time;  ///< mean hours; absent: never repaired
};

struct ReliabilitySpec {
  std::vector<ComponentRate> rates = {};  ///< one for each unit that fails
  /// All methods but exact: every set of failed components, drawn ones, or, with repair, an estimator for
  /// small probabilities; automatic: every set if there are no more than are to be drawn, else drawn, or rare
  /// if few of them lose a pair.
  ResilienceMethod method = ResilienceMethod::automatic;
  std::uint64_t samples = 100'000;   ///< fault sets, with repair
  std::uint64_t histories = 10'000;  ///< without; each takes several fault sets
};

/// A number that was counted, or estimated with a 95 % interval.
struct Estimate {
  double value = 0;
  Interval interval;
};

struct ComponentImportance {
  std::string name;
  /// Birnbaum's measure: the probability that some pair is disconnected if the component has failed, less
  /// that if it works. With 95 %, the intervals of all components of the network hold together.
  Estimate birnbaum;
};

/// With repair, in the steady state.
struct SteadyState {
  // What is small cannot be computed as one less the rest: both are given.
  Estimate unavailability;           ///< probability that some pair is disconnected
  Estimate availability{1, {1, 1}};  ///< that none is
  Estimate disconnected_pairs;       ///< expected fraction
  Estimate connected_pairs{1, {1, 1}};
  /// Mean hours from the moment at which every pair is connected again until some pair is not. From an intact
  /// network it takes a little longer. Absent if no fault set disconnects a pair, or none was seen, or those
  /// seen are together entered no more often than left; the interval has an infinite end if few were seen.
  std::optional<Estimate> hours_to_intolerable;
  std::vector<ComponentImportance> most_important;  ///< first ones first
};

struct Reliability {
  enum class Method : std::uint8_t {
    exhaustive,  ///< every set of failed components
    sampled,     ///< sets of more faults than any network of the kind tolerates, drawn as they occur
    rare,        ///< derivation coverage
  };
  struct Class {
    ComponentRate rate;
    std::size_t components = 0;
    std::optional<double> unavailability;  ///< of one component: repair / (mean time to failure + repair)
  };
  std::vector<Class> classes;
  Method method = Method::sampled;
  std::uint64_t sets = 0;              ///< fault sets evaluated; without repair, histories
  std::optional<SteadyState> steady;   ///< with repair
  std::optional<Estimate> first_loss;  ///< without: mean hours until some pair is disconnected
};

[[nodiscard]] std::string_view to_string(Reliability::Method method);

}  // namespace faultline
#pragma GCC visibility pop
