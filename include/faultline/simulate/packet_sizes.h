// SPDX-License-Identifier: Apache-2.0
// Packet lengths, and what follows from them.
#pragma once

#include <algorithm>

#include "faultline/simulate/spec.h"
#include "faultline/traffic/pattern.h"

#pragma GCC visibility push(default)
namespace faultline {

/// `spec` as the engines take it: packet_flits is the size of the longest packet, shares add up to 1, and a
/// trace has determined its sizes, its number of packets and a run length in which they can be delivered.
[[nodiscard]] SimulationSpec resolved(SimulationSpec spec, const TrafficPattern& pattern);

[[nodiscard]] inline double mean_flits(const InjectionSpec& injection) {
  if (injection.packet_mix.empty()) return injection.packet_flits;
  double sum = 0, shares = 0;
  for (const PacketShare& part : injection.packet_mix) {
    sum += part.flits * part.share;
    shares += part.share;
  }
  return sum / shares;
}

[[nodiscard]] inline std::uint32_t least_flits(const InjectionSpec& injection) {
  if (injection.packet_mix.empty()) return injection.packet_flits;
  return std::ranges::min(injection.packet_mix, {}, &PacketShare::flits).flits;
}

/// Cycles of a run whose length was not given: enough for the batch means of a saturated network to settle
/// (measured at 64 to 4096 terminals): the network fills within some dozens of packet times, whatever their
/// length, and some thousand cycles of pipelines.
[[nodiscard]] inline std::uint64_t default_cycles(const InjectionSpec& injection) {
  return 20'000 + std::uint64_t{400} * injection.packet_flits;
}

/// Cycles of a run that no stop rule ends, warm-up included.
[[nodiscard]] inline std::uint64_t run_length(const SimulationSpec& spec) {
  const MeasurementSpec& measurement = spec.measurement;
  return measurement.cycles != 0 ? measurement.cycles
                                 : measurement.warmup.value_or(0) + default_cycles(spec.injection);
}

/// A stop rule gives up after this many times the expected number of cycles.
inline constexpr std::uint64_t slowest_run = 64;

}  // namespace faultline
#pragma GCC visibility pop
