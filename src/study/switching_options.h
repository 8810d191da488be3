// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "faultline/describe/description.h"

namespace faultline {

/// Throws where an option of one switching model is given with the other: it would change nothing.
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
  for (const auto& [name, switching, is_given] : options)
    if (is_given && switching != asked.switching)
      throw Error(given.path_of(name), "with switching " + asked.switching,
                  "must be left out: it is an option of switching " + std::string(switching), given.location);
}

}  // namespace faultline
