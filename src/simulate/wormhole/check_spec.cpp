// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulate/wormhole/choices.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole {
namespace {

constexpr std::uint32_t most_stage_cycles = 64;
constexpr std::uint32_t most_iterations = 16;

void require_between(const char* field, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
  if (value < low || value > high)
    throw Error(fmt::format("simulate.{}", field), fmt::format("{}", value),
                fmt::format("must be from {} to {}", low, high));
}

}  // namespace

void check_spec(const RoutingRelation& relation, const SimulationSpec& spec) {
  const std::uint32_t vcs = vc_count(relation, spec), least = relation.virtual_channels();
  if (vcs < least || vcs > most_vcs)
    throw Error("simulate.vcs", fmt::format("{}", vcs),
                fmt::format("must be 0, as many as the routing uses, or from {} to {}", least, most_vcs));
  require_between("buffer-flits", spec.wormhole().buffer_flits, 1, max_buffer_flits);
  require_between("pipeline.routing", spec.wormhole().pipeline.routing, 0, most_stage_cycles);
  require_between("pipeline.vc-allocation", spec.wormhole().pipeline.vc_allocation, 1, most_stage_cycles);
  require_between("pipeline.switch-allocation", spec.wormhole().pipeline.switch_allocation, 1,
                  most_stage_cycles);
  require_between("pipeline.switch-traversal", spec.wormhole().pipeline.switch_traversal, 0,
                  most_stage_cycles);
  require_between("credit-delay", spec.wormhole().credit_delay_cycles, 0, most_stage_cycles);
  require_between("iterations", spec.wormhole().allocation_iterations, 1, most_iterations);
}

}  // namespace faultline::wormhole
