// SPDX-License-Identifier: Apache-2.0
// The options of `simulate` about switches.
#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faultline/describe/description.h"
#include "faultline/describe/fields.h"
#include "faultline/simulate/clock.h"
#include "faultline/simulate/spec.h"
#include "study/unused_options.h"

namespace faultline {

struct SwitchOptions {
  std::uint32_t vcs = 0;
  std::uint32_t buffer_packets = 2;
  std::string buffers = "auto";
  std::uint32_t buffer_flits = 16;
  std::vector<std::uint32_t> pipeline{1, 1, 1, 1};
  bool speculative = false;
  std::uint32_t credit_delay = 1;
  std::string allocation = "islip";
  std::uint32_t iterations = 1;
  std::string arbitration = "auto";
  std::uint32_t input_speedup = 1, output_speedup = 1, internal_speedup = 1;
  bool atomic_vcs = false;

  static void fields(auto& field) {
    using V = SwitchOptions;
    field("vcs", &V::vcs, between(0, max_virtual_channels),
          "virtual channels per channel; 0: as many as the routing needs, the only number with switching "
          "vct; wormhole: or more (best a multiple); more than 8 are simulated by a slower engine");
    field("buffer-packets", &V::buffer_packets, between(1, max_buffer_packets),
          "vct: packets in a port's buffer, whatever their sizes");
    field("buffers", &V::buffers, one_of({"auto", "in", "out", "both"}),
          "vct: which ports have buffers; auto: in with several virtual channels, else both");
    field("buffer-flits", &V::buffer_flits, between(1, max_buffer_flits),
          "wormhole: flits in a virtual channel's buffer");
    field(
        "pipeline", &V::pipeline, between(0, max_stage_cycles),
        "wormhole: cycles of routing, VC allocation (at least 1), switch allocation (at least 1), traversal");
    field("speculative", &V::speculative, {},
          "wormhole: heads request the crossbar and a VC at the same time: one cycle less at a switch");
    field("credit-delay", &V::credit_delay, between(0, max_stage_cycles),
          "wormhole: cycles from a credit's arrival to its use");
    field("allocation", &V::allocation, one_of({"islip", "separable"}), "wormhole: how requests are matched");
    field("iterations", &V::iterations, between(1, max_allocation_iterations),
          "wormhole: iterations of each allocation");
    field("arbitration", &V::arbitration, one_of({"auto", "round-robin", "matrix", "oldest", "random"}),
          "which of the requests for an output is granted (matrix: least recently served); auto: random, or "
          "round-robin with wormhole switching, where any other is simulated by a slower engine");
    field("input-speedup", &V::input_speedup, between(1, max_speedup),
          "flits (vct: packets) that an input sends into the crossbar at a time (wormhole: from different "
          "virtual channels); any speed-up is simulated by a slower engine");
    field("output-speedup", &V::output_speedup, between(1, max_speedup),
          "flits (vct: packets) that an output takes from the crossbar at a time, into a buffer before its "
          "channel");
    field("internal-speedup", &V::internal_speedup, between(1, max_speedup),
          "internal speed of a switch as a multiple of that of its channels");
    field("atomic-vcs", &V::atomic_vcs, {},
          "wormhole: a virtual channel takes a packet only when it is empty, as always with escape channels");
  }

  void check_pipeline(const Description& given) const {
    if (pipeline.size() != 4)
      throw Error(given.path_of("pipeline"), std::to_string(pipeline.size()) + " values",
                  "must be four numbers of cycles: routing,vc-allocation,switch-allocation,traversal");
  }

  [[nodiscard]] CutThroughSwitches cut_through_switches(std::optional<SourceAgents> agents) const {
    return {.buffer_packets = buffer_packets,
            .buffers = buffers == "auto"   ? Buffering::automatic
                       : buffers == "both" ? Buffering::both
                       : buffers == "in"   ? Buffering::input
                                           : Buffering::output,
            .agents = std::move(agents)};
  }

  [[nodiscard]] WormholeSwitches wormhole_switches() const {
    return {.buffer_flits = buffer_flits,
            .pipeline = {pipeline[0], pipeline[1], pipeline[2], pipeline[3], speculative},
            .credit_delay_cycles = credit_delay,
            .allocation = allocation == "islip" ? Allocation::islip : Allocation::separable,
            .allocation_iterations = iterations,
            .atomic_vcs = atomic_vcs};
  }

  [[nodiscard]] std::optional<Arbitration> arbitration_asked() const {
    if (arbitration == "auto") return std::nullopt;
    return arbitration == "round-robin" ? Arbitration::round_robin
           : arbitration == "matrix"    ? Arbitration::matrix
           : arbitration == "oldest"    ? Arbitration::oldest
                                        : Arbitration::random;
  }
};

/// Refuses options of one switching model with the other, which would change nothing (refuse_unused()).
template <class Verb>
void check_switching_options(const Verb& asked, const Description& given) {
  const Verb none{};
  struct Option {
    std::string_view name, switching;
    bool is_given;
  };
  const std::array options{Option{"buffer-packets", "vct", asked.buffer_packets != none.buffer_packets},
                           Option{"buffers", "vct", asked.buffers != none.buffers},
                           Option{"agent", "vct", asked.agent && !asked.agent->is_none()},
                           Option{"agent-reaction", "vct", asked.agent_reaction != none.agent_reaction},
                           Option{"control-flits", "vct", asked.control_flits != none.control_flits},
                           Option{"control-buffers", "vct", asked.control_buffers != none.control_buffers},
                           Option{"buffer-flits", "wormhole", asked.buffer_flits != none.buffer_flits},
                           Option{"pipeline", "wormhole", asked.pipeline != none.pipeline},
                           Option{"speculative", "wormhole", asked.speculative != none.speculative},
                           Option{"credit-delay", "wormhole", asked.credit_delay != none.credit_delay},
                           Option{"allocation", "wormhole", asked.allocation != none.allocation},
                           Option{"iterations", "wormhole", asked.iterations != none.iterations},
                           Option{"atomic-vcs", "wormhole", asked.atomic_vcs != none.atomic_vcs}};
  for (const auto& [name, switching, is_given] : options) {
    if (!is_given || switching == asked.switching) continue;
    refuse_unused(given, std::string(name), to_string(*given.find(name)),  // it differs from the default
                  fmt::format("must be left out with switching {}: it is an option of switching {}",
                              asked.switching, switching));
  }
}

}  // namespace faultline
