// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "simulate/lanes/engine.h"

namespace faultline::wormhole::lanes {

std::optional<Shape> shape_of(const RoutingRelation& relation, const SimulationSpec& spec) {
  const Topology& topology = relation.topology();
  constexpr std::uint32_t most_count = 255;
  const bool reference = Timing(spec).head == 1 && !spec.pipeline.speculative &&
                         spec.allocation == Allocation::islip && spec.allocation_iterations == 1 &&
                         arbitration_of(spec) == Arbitration::round_robin && !spec.atomic_vcs &&
                         spec.outages.empty() && spec.reroutings.empty() && !spec.unseen_faults &&
                         spec.speedup.none();
  if (!reference || vc_count(relation, spec) > port_bits || spec.buffer_flits > most_count ||
      spec.packet_flits > most_count)
    return {};
  for (const TerminalId terminal : topology.terminals())
    if (topology.injection(terminal).size() > 1) return {};
  Shape wanted;
  for (const ChannelId channel : topology.channels()) {
    if (topology.source(channel).valid())
      wanted.ports = std::max(wanted.ports, topology.output_port(channel) + 1);
    if (topology.target(channel).valid())
      wanted.ports = std::max(wanted.ports, topology.input_port(channel) + 1);
  }
  wanted.planes = static_cast<std::uint32_t>(std::bit_width(std::max(spec.buffer_flits, spec.packet_flits)));
  for (const Shape& shape : shapes)
    if (shape.ports >= wanted.ports && shape.planes >= wanted.planes) return shape;
  return {};
}

}  // namespace faultline::wormhole::lanes
