// SPDX-License-Identifier: Apache-2.0
#include "simulate/timeline.h"

#include <algorithm>
#include <cmath>

namespace faultline {
namespace {

/// Enough that batch means of a saturated network settle (measured at 64 to 4096 terminals): the network
/// fills within some dozens of packet times, whatever their length, and some thousand cycles of pipelines.
std::uint64_t default_cycles(const SimulationSpec& spec) {
  return 20'000 + std::uint64_t{400} * spec.packet_flits;
}

/// Cycles in which a source below saturation has its packets delivered, with room for a slow one.
double expected_cycles(const SimulationSpec& spec) {
  const double packets = static_cast<double>(spec.packets_per_source);
  return (packets + 4 * std::sqrt(packets) + 10) * spec.packet_flits / spec.load + 1000;
}

Time rounded_up(double cycles, Time multiple) {
  const double most = max_cycles / multiple;
  return static_cast<Time>(std::min(std::ceil(cycles / multiple), most)) * multiple;
}

/// A saturated source takes as many times longer as it is refused; 64 is where we give up.
constexpr int slowest = 64;
constexpr int bins_wanted = 128;

Timeline until_delivered(const SimulationSpec& spec) {
  Timeline line;
  const double expected = expected_cycles(spec);
  line.detect_warmup = !spec.warmup;
  line.warmup = rounded_up(static_cast<double>(spec.warmup.value_or(0)), Timeline::edge_multiple);
  line.width = rounded_up(expected / bins_wanted, Timeline::edge_multiple);
  line.limit = spec.cycles != 0
                   ? static_cast<Time>(spec.cycles)
                   : std::min(line.warmup + rounded_up(expected * slowest, line.width), max_cycles);
  return line;
}

}  // namespace

Timeline Timeline::of(const SimulationSpec& spec) {
  if (spec.packets_per_source != 0) return until_delivered(spec);
  Timeline line;
  line.detect_warmup = !spec.warmup;
  line.warmup = static_cast<Time>(spec.warmup.value_or(0));
  line.limit =
      static_cast<Time>(spec.cycles != 0 ? spec.cycles : spec.warmup.value_or(0) + default_cycles(spec));
  line.width = std::max<Time>(1, (line.limit - line.warmup + bins_wanted - 1) / bins_wanted);
  return line;
}

Time Timeline::end_of(std::size_t bin) const {
  const std::int64_t end = std::int64_t{warmup} + static_cast<std::int64_t>(bin) * width;
  return static_cast<Time>(std::min<std::int64_t>(end, limit));
}

}  // namespace faultline
