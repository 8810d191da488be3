// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/vector_allocation.h"

#include "simulate/wormhole/choices.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole::planes {

VectorAllocation vector_allocation(const Kernel& kernel, const RoutingRelation& relation,
                                   const SimulationSpec& spec, std::uint32_t vcs, std::uint32_t inputs) {
  const WormholeSwitches& wormhole = spec.wormhole();
  const bool is_usual = wormhole.allocation == Allocation::islip && wormhole.allocation_iterations == 1 &&
                        !Timing(wormhole).speculative && spec.faults.reroutings.empty() &&
                        wormhole.buffer_flits < (1U << few_planes);
  const bool pays = spec.injection.packet_flits <= kernel.max_flits_by_vectors &&
                    spec.injection.packet_mix.empty() && spec.selection.score != nullptr &&
                    !spec.selection.commits();
  constexpr std::uint32_t max_inputs = 128;  // of a switch: the rows of more exceed the cache
  if (!is_usual || !pays || inputs > max_inputs) return {};
  const Chooser chooser(relation, spec.selection, vcs, 0);
  return {chooser.by_bits(), chooser.classes() == 1};
}

}  // namespace faultline::wormhole::planes
