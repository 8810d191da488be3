// SPDX-License-Identifier: Apache-2.0
#include "simulate/measurement/timeline.h"

#include <algorithm>
#include <cmath>

#include "faultline/simulate/run_length.h"

namespace faultline {
namespace {

/// Cycles in which a source below saturation has its packets delivered, with a margin for slow ones.
double cycles_to_deliver(const SimulationSpec& spec) {
  const double packets = static_cast<double>(spec.measurement.packets_per_source);
  return (packets + 4 * std::sqrt(packets) + 10) * mean_flits(spec.injection) / spec.injection.load + 1000;
}

Time rounded_up(double cycles, Time multiple) {
  const Time whole = max_cycles / multiple;
  const auto most = static_cast<double>(whole);
  return static_cast<Time>(std::min(std::ceil(cycles / multiple), most)) * multiple;
}

constexpr int bins_wanted = 128;
constexpr auto slowest = static_cast<int>(slowest_run);

/// Of which edges are multiples: of one cycle in a run that is too short for a few bins of the usual
/// multiple.
Time edge_multiple(const SimulationSpec& spec) {
  constexpr std::uint64_t fewest_bins = 4;
  const std::uint64_t cycles = spec.measurement.cycles, warmup = spec.measurement.warmup.value_or(0);
  const bool is_short = cycles != 0 && cycles < warmup + fewest_bins * Timeline::edge_multiple;
  return is_short ? 1 : Timeline::edge_multiple;
}

Timeline until_delivered(const SimulationSpec& spec) {
  Timeline line;
  const double expected = cycles_to_deliver(spec);
  const Time multiple = edge_multiple(spec);
  line.detect_warmup = !spec.measurement.warmup;
  line.warmup = rounded_up(static_cast<double>(spec.measurement.warmup.value_or(0)), multiple);
  if (spec.measurement.cycles == 0) {
    const auto longest = static_cast<double>(max_cycles - line.warmup);
    line.width = rounded_up(std::min(expected, longest) / bins_wanted, multiple);
    line.limit = std::min(line.warmup + rounded_up(expected * slowest, line.width), max_cycles);
    return line;
  }
  line.limit = static_cast<Time>(spec.measurement.cycles);
  // The run may end before the packets are delivered: what it has time for is measured. It may also be given
  // far more time than they take, which must not make many bins.
  const double longest = std::max<Time>(1, line.limit - line.warmup);
  line.width = rounded_up(std::max(std::min(expected, longest), longest / slowest) / bins_wanted, multiple);
  return line;
}

/// Bins as short as in a run of the least length, unless there would be too many.
Timeline until_stopped(const SimulationSpec& spec) {
  Timeline line;
  const Time multiple = edge_multiple(spec);
  line.detect_warmup = !spec.measurement.warmup;
  line.warmup = rounded_up(static_cast<double>(spec.measurement.warmup.value_or(0)), multiple);
  const std::uint64_t longest =
      spec.measurement.cycles != 0
          ? spec.measurement.cycles
          : spec.measurement.warmup.value_or(0) + slowest_run * default_cycles(spec.injection);
  line.limit = static_cast<Time>(std::min<std::uint64_t>(longest, max_cycles));
  line.width = rounded_up(line.limit / static_cast<double>(slowest_run * bins_wanted), multiple);
  return line;
}

}  // namespace

Timeline Timeline::of(const SimulationSpec& spec) {
  if (spec.measurement.packets_per_source != 0) return until_delivered(spec);
  if (spec.measurement.interval_width != 0 || spec.measurement.packets != 0) return until_stopped(spec);
  Timeline line;
  line.detect_warmup = !spec.measurement.warmup;
  line.warmup = static_cast<Time>(spec.measurement.warmup.value_or(0));
  line.limit = static_cast<Time>(run_length(spec));
  line.width = std::max<Time>(1, (line.limit - line.warmup + bins_wanted - 1) / bins_wanted);
  return line;
}

double expected_cycles(const SimulationSpec& spec) {
  const Timeline line = Timeline::of(spec);
  if (spec.measurement.packets_per_source == 0) return line.limit;
  return std::min<double>(line.limit, line.warmup + cycles_to_deliver(spec));
}

Time Timeline::end_of(std::size_t bin) const {
  const std::int64_t end = std::int64_t{warmup} + static_cast<std::int64_t>(bin) * width;
  return static_cast<Time>(std::min<std::int64_t>(end, limit));
}

}  // namespace faultline
