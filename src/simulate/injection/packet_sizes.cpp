// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/packet_sizes.h"

#include <map>

#include "faultline/simulate/clock.h"

namespace faultline {
namespace {

void resolve_mix(InjectionSpec& injection) {
  if (injection.packet_mix.empty()) return;
  double shares = 0;
  for (const PacketShare& part : injection.packet_mix) shares += part.share;
  for (PacketShare& part : injection.packet_mix) part.share /= shares;
  injection.packet_flits = std::ranges::max(injection.packet_mix, {}, &PacketShare::flits).flits;
}

void resolve_trace(InjectionSpec& injection, MeasurementSpec& measurement, const Trace& trace) {
  std::map<std::uint32_t, double> sizes;
  std::uint64_t last = 0, flits = 0;
  for (const Trace::Packet& packet : trace.packets) {
    ++sizes[packet.flits];
    flits += packet.flits;
    last = std::max<std::uint64_t>(last, packet.time);
  }
  injection.packet_mix.clear();
  for (const auto& [size, packets] : sizes) injection.packet_mix.push_back({size, packets});
  resolve_mix(injection);
  measurement.packets = trace.packets.size();
  injection.load =
      static_cast<double>(flits) / (static_cast<double>(last + 1) * static_cast<double>(trace.sources()));
  if (!measurement.warmup) measurement.warmup = 0;
  measurement.interval_width = 0;  // no rule may end it early: a trace is not stationary
  measurement.packets_per_source = 0;
  if (measurement.cycles == 0)
    measurement.cycles = std::min<std::uint64_t>(slowest_run * (last + default_cycles(injection)),
                                                 static_cast<std::uint64_t>(max_cycles));
}

}  // namespace

SimulationSpec resolved(SimulationSpec spec, const TrafficPattern& pattern) {
  resolve_mix(spec.injection);
  if (const Trace* trace = pattern.trace()) resolve_trace(spec.injection, spec.measurement, *trace);
  return spec;
}

}  // namespace faultline
