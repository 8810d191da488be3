// SPDX-License-Identifier: Apache-2.0
// The reference router of shared/reference/booksim2.json, and one packet alone in a network.
#pragma once

#include "simulate/wormhole/model.h"
#include "support/grid_network.h"
#include "support/simulate_support.h"

namespace faultline::testing_support {

inline SimulationSpec reference_router(double load) {
  SimulationSpec spec;
  spec.switches = WormholeSwitches{};
  spec.injection.load = load;
  spec.injection.packet_flits = 16;
  spec.virtual_channels = 4;
  spec.wormhole().buffer_flits = 16;
  spec.selection = selection("random");
  return spec;
}

inline Network mesh_network(std::uint32_t width, std::uint32_t height) {
  const TopologyPtr topology = mesh(width, height);
  return {topology, std::make_shared<DimensionOrder>(topology, width),
          build_pattern(*topology, 1, parse_compact("traffic", "uniform-self"))};
}

/// One source sends to one destination.
class OnePair final : public TrafficPattern {
 public:
  OnePair(TerminalId source, TerminalId destination) : source_(source), destination_(destination) {}
  [[nodiscard]] TerminalId destination(TerminalId, std::uint64_t) const override { return destination_; }
  [[nodiscard]] bool silent(TerminalId source) const override { return source != source_; }

 private:
  TerminalId source_, destination_;
};

/// The first packet of a source that seldom sends: it is alone.
inline Delivery lone_packet(const RoutingRelation& relation, TerminalId source, TerminalId destination,
                            SimulationSpec spec) {
  spec.injection.load = 0.001 * spec.injection.packet_flits;
  spec.measurement.cycles = 20'000;
  std::vector<Delivery> log;
  static_cast<void>(wormhole::run_scalar(relation, OnePair(source, destination), spec, {}, &log));
  return log.at(0);
}

}  // namespace faultline::testing_support
