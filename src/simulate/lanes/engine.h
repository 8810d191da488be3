// SPDX-License-Identifier: Apache-2.0
// The fast engine: vectors move flits (advance.h), and what happens once a packet and switch is done here:
// routes, VCs, sources. Gives what run_scalar gives, delivery by delivery.
#pragma once

#include <optional>

#include "simulate/kernels/lanes_kernel.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole::lanes {

/// The shape in which this engine runs a spec: the reference router's pipeline lengths of heads, iSLIP with
/// one iteration, round robin, private buffers, up to 4 VCs, 16 ports, buffers and packets of up to 255
/// flits, one injection channel a terminal. None where the plain engine is needed.
[[nodiscard]] std::optional<Shape> shape_of(const RoutingRelation& relation, const SimulationSpec& spec);

/// None when a packet has several channels to choose among again and again, or none at all: only the plain
/// engine does that. `log` may hold deliveries then.
[[nodiscard]] std::optional<Outcome> run(const Kernel& kernel, Shape shape, const RoutingRelation& relation,
                                         const TrafficPattern& pattern, const SimulationSpec& spec,
                                         const Progress& progress = {}, std::vector<Delivery>* log = nullptr);

}  // namespace faultline::wormhole::lanes
