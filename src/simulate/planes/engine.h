// SPDX-License-Identifier: Apache-2.0
// The fast engine: vectors move flits (cycle.h), and what happens once per packet and switch is done here:
// routes, VCs, sources. Gives the same deliveries as run_scalar.
#pragma once

#include <optional>
#include <string>

#include "simulate/kernels/planes_kernel.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole::planes {

/// What in a spec only the plain engine supports; none: this one supports it all.
[[nodiscard]] std::optional<std::string> obstacle(const RoutingRelation& relation,
                                                  const SimulationSpec& spec);

/// For a spec without obstacle(). The network is divided among spec.threads threads, as far as there are
/// groups of switches.
[[nodiscard]] Outcome run(const Kernel& kernel, const RoutingRelation& relation,
                          const TrafficPattern& pattern, const SimulationSpec& spec,
                          const Progress& progress = {}, std::vector<Delivery>* log = nullptr);

}  // namespace faultline::wormhole::planes
