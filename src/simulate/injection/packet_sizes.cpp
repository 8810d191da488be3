// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/packet_sizes.h"

#include <map>

#include "faultline/simulate/clock.h"

namespace faultline {
namespace {

void resolve_mix(SimulationSpec& spec) {
  if (spec.packet_mix.empty()) return;
  double shares = 0;
  for (const PacketShare& part : spec.packet_mix) shares += part.share;
  for (PacketShare& part : spec.packet_mix) part.share /= shares;
  spec.packet_flits = std::ranges::max(spec.packet_mix, {}, &PacketShare::flits).flits;
}

void resolve_trace(SimulationSpec& spec, const Trace& trace) {
  std::map<std::uint32_t, double> sizes;
  std::uint64_t last = 0, flits = 0;
  for (const Trace::Packet& packet : trace.packets) {
    ++sizes[packet.flits];
    flits += packet.flits;
    last = std::max<std::uint64_t>(last, packet.time);
  }
  spec.packet_mix.clear();
  for (const auto& [size, packets] : sizes) spec.packet_mix.push_back({size, packets});
  resolve_mix(spec);
  spec.packets = trace.packets.size();
  spec.load =
      static_cast<double>(flits) / (static_cast<double>(last + 1) * static_cast<double>(trace.sources()));
  if (!spec.warmup) spec.warmup = 0;
  spec.interval_width = 0;  // nothing that would end it before its end: a trace is not stationary
  spec.packets_per_source = 0;
  if (spec.cycles == 0)
    spec.cycles = std::min<std::uint64_t>(slowest_run * (last + default_cycles(spec)),
                                          static_cast<std::uint64_t>(max_cycles));
}

}  // namespace

SimulationSpec resolved(SimulationSpec spec, const TrafficPattern& pattern) {
  resolve_mix(spec);
  if (const Trace* trace = pattern.trace()) resolve_trace(spec, *trace);
  return spec;
}

}  // namespace faultline
