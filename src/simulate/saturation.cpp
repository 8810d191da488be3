// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/saturation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "faultline/simulate/clock.h"
#include "faultline/simulate/packet_sizes.h"

namespace faultline {
namespace {

/// Runs of a search are lengthened by this factor until the loads change by at most so many times the
/// precision. Near saturation the length of a queue is a random walk: runs of 16 times the length found loads
/// 1 to 3 % apart in tori, meshes and fat trees, and the next ones as far apart again.
constexpr std::uint64_t lengthening = 4;
constexpr double tolerance = 3;

/// Flits/cycle/terminal that the injection channels of some sender take, and that a source can generate.
double max_load(const Topology& topology, const TrafficPattern& pattern, const SimulationSpec& spec) {
  const double most_generated = mean_flits(spec.injection);
  double channels = 0;
  for (const TerminalId source : topology.terminals())
    if (!pattern.silent(source))
      channels = std::max(channels, static_cast<double>(topology.injection(source).size()));
  return channels > 0 ? std::min(channels, most_generated) : most_generated;
}

/// Nobody has said when a run ends, and what happens in it does not depend on its length.
bool may_lengthen(const SimulationSpec& spec) {
  const MeasurementSpec& measurement = spec.measurement;
  const FaultsInTime& faults = spec.faults;
  const auto always = [](const Outage& outage) { return outage.from == 0 && outage.is_permanent(); };
  return measurement.cycles == 0 && measurement.packets_per_source == 0 && measurement.packets == 0 &&
         measurement.interval_width == 0 && std::ranges::all_of(faults.outages, always) &&
         faults.reroutings.empty() && faults.pauses.empty();
}

class Search {
 public:
  Search(const RoutingRelation& relation, const TrafficPattern& pattern, SimulationSpec spec,
         double precision, const Progress& progress)
      : relation_(relation),
        pattern_(pattern),
        spec_(std::move(spec)),
        precision_(precision),
        progress_(progress),
        most_(max_load(relation.topology(), pattern, spec_)) {}

  void begin() {
    if (!saturates(most_)) found.sustained_load = most_;
    bisect();
  }

  /// With runs of this many cycles: the loads found so far are examined again. True if the new ones are about
  /// the same, and few senders do not happen to have sent more or less than the load says.
  bool repeat(std::uint64_t cycles) {
    spec_.measurement.cycles = cycles;
    const double sustained = found.sustained_load, saturated = found.saturated_load.value_or(most_);
    if (sustained > 0 && saturates(sustained))
      lower();
    else if (!found.saturated_load)
      found.decisive_run = found.runs.size() - 1;
    else if (!saturates(saturated))
      raise(saturated - sustained);
    bisect();
    const double max_change = tolerance * precision_ * saturated;
    const double together = spec_.injection.process == Injection::bursty ? spec_.injection.burst_packets : 1;
    const double packets = static_cast<double>(found.runs[found.decisive_run].result.generated) / together;
    return packets * precision_ * precision_ >= 4 &&
           std::abs(found.sustained_load - sustained) <= max_change &&
           std::abs(found.saturated_load.value_or(most_) - saturated) <= max_change;
  }

  SaturationSearch found;

 private:
  /// Runs it, and keeps it as a bound if it does.
  bool saturates(double load) {
    spec_.injection.load = load;
    found.runs.push_back({load, simulate(relation_, pattern_, spec_, progress_)});
    const SimulationResult& result = found.runs.back().result;
    if (!result.saturated && !result.deadlock) return false;
    found.saturated_load = load;
    found.decisive_run = found.runs.size() - 1;
    return true;
  }

  void bisect() {
    while (found.saturated_load && *found.saturated_load > least_ &&
           *found.saturated_load - found.sustained_load > precision_ * *found.saturated_load) {
      const double middle = (found.sustained_load + *found.saturated_load) / 2;
      if (!saturates(middle)) found.sustained_load = middle;
    }
  }

  /// The load that was sustained in shorter runs is not: looks for a lower one.
  void lower() {
    found.sustained_load = 0;
    for (double step = 2 * precision_ * *found.saturated_load;; step *= 2) {
      const double load = *found.saturated_load - step;
      if (load <= least_) return;
      if (!saturates(load)) {
        found.sustained_load = load;
        return;
      }
    }
  }

  /// The load that saturated shorter runs is sustained: looks for a higher one.
  void raise(double step) {
    found.sustained_load = *found.saturated_load;
    found.saturated_load.reset();
    for (; found.sustained_load < most_; step *= 2) {
      const double load = std::min(found.sustained_load + step, most_);
      if (saturates(load)) return;
      found.sustained_load = load;
    }
    found.decisive_run = found.runs.size() - 1;
  }

  const RoutingRelation& relation_;
  const TrafficPattern& pattern_;
  SimulationSpec spec_;
  const double precision_;
  const Progress& progress_;
  const double most_;
  /// No network is searched below a ten-thousandth of what its terminals can send: it then counts as
  /// sustaining nothing.
  const double least_ = 1e-4 * most_;
};

}  // namespace

SaturationSearch find_saturation(const RoutingRelation& relation, const TrafficPattern& pattern,
                                 SimulationSpec spec, double precision, const Progress& progress) {
  constexpr double finest = 1e-6;
  if (!(precision >= finest && precision < 1))
    throw Error("simulate.precision", fmt::format("{}", precision),
                fmt::format("must be at least {} and below 1", finest));
  const SimulationSpec known = resolved(spec, pattern);
  const std::uint64_t warmup = known.measurement.warmup.value_or(0),
                      shortest = default_cycles(known.injection);
  Search search(relation, pattern, std::move(spec), precision, progress);
  search.begin();
  if (!may_lengthen(known)) return search.found;
  bool settled = false;
  for (std::uint64_t times = lengthening; !settled && times <= slowest_run; times *= lengthening)
    settled = search.repeat(std::min<std::uint64_t>(warmup + times * shortest, max_cycles));
  search.found.settled = settled;
  return search.found;
}

}  // namespace faultline
