// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "faultline/simulate/clock.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole {
namespace {

void require_between(const char* field, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
  if (value < low || value > high)
    throw Error(fmt::format("simulate.{}", field), fmt::format("{}", value),
                fmt::format("must be from {} to {}", low, high));
}

}  // namespace

void check_spec(const RoutingRelation& relation, const SimulationSpec& spec) {
  const std::uint32_t vcs = vc_count(relation, spec), least = relation.virtual_channels();
  if (vcs < least || vcs > max_virtual_channels)
    throw Error(
        "simulate.vcs", fmt::format("{}", vcs),
        fmt::format("must be 0, as many as the routing uses, or from {} to {}", least, max_virtual_channels));
  require_between("buffer-flits", spec.wormhole().buffer_flits, 1, max_buffer_flits);
  require_between("pipeline.routing", spec.wormhole().pipeline.routing, 0, max_stage_cycles);
  require_between("pipeline.vc-allocation", spec.wormhole().pipeline.vc_allocation, 1, max_stage_cycles);
  require_between("pipeline.switch-allocation", spec.wormhole().pipeline.switch_allocation, 1,
                  max_stage_cycles);
  require_between("pipeline.switch-traversal", spec.wormhole().pipeline.switch_traversal, 0,
                  max_stage_cycles);
  require_between("credit-delay", spec.wormhole().credit_delay_cycles, 0, max_stage_cycles);
  require_between("iterations", spec.wormhole().allocation_iterations, 1, max_allocation_iterations);
}

}  // namespace faultline::wormhole
